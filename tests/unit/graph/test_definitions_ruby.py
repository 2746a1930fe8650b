"""Which definition of Ruby may run which."""

from __future__ import annotations

from tests.unit.graph.definitions import edges

FILES = {
    "lib/draw.rb": """
require "draw/shape"
require "draw/square"

module Draw
  LIMIT = 3
  def self.unit = Square.new(1)
end
""",
    "lib/draw/shape.rb": """
module Draw
  module Named
    def label
      name
    end
  end

  class Shape
    include Named
    attr_reader :size

    def initialize(size)
      @size = Size.new(size)
    end

    def area
      raise NotImplementedError
    end

    def twice
      area * 2
    end
  end
end
""",
    "lib/draw/square.rb": """
require_relative "shape"

module Draw
  class Square < Shape
    def initialize(edge)
      super
      @edge = check(edge)
    end

    def area
      size.value * LIMIT
    end

    def self.all(list)
      list.map(&method(:make))
    end

    def self.make(n) = new(n)

    private

    def check(edge)
      edge
    end
  end

  class Size
    def value
      1
    end
  end
end
""",
    "spec/square_spec.rb": """
require "draw"

describe Draw::Square do
  let(:square) { Draw::Square.new(2) }

  it("is twice") { square.twice }
  it("has a label") { Draw.unit.label }
end

def helper(shape)
  shape.area
end
""",
}


def test_constants_members_and_calls(repo):
    found = edges(repo.having(FILES))
    assert {
        ("Draw.Square", "subclass", "Draw.Shape"),
        ("Draw.Shape", "subclass", "Draw.Named"),
        ("Draw.Square", "constructor", "Draw.Square.initialize"),
        ("Draw.Square.initialize", "call", "Draw.Shape.initialize"),
        ("Draw.Square.initialize", "call", "Draw.Square.check"),
        ("Draw.Square.area", "call", "Draw.Size.value"),
        ("Draw.Square.area", "variable", "Draw.LIMIT"),
        ("Draw.Square.all", "value", "Draw.Square.make"),
        ("Draw.unit", "call", "Draw.Square"),
        ("spec/square_spec.rb", "call", "Draw.Square"),
        ("spec/square_spec.rb", "call", "Draw.Shape.twice"),
        ("spec/square_spec.rb", "call", "Draw.unit"),
    } <= found


def test_what_is_overridden_is_reached(repo):
    found = edges(repo.having(FILES))
    assert ("Draw.Shape.twice", "call", "Draw.Shape.area") in found
    assert ("Draw.Shape.area", "override", "Draw.Square.area") in found


def test_a_member_of_an_unknown_value_is_ambiguous(repo):
    found = edges(repo.having(FILES))
    assert ("helper", "dynamic", ".area") in found
    assert ("helper", "call", "Draw.Square.area") not in found


def test_a_module_with_very_many_parts_is_only_what_others_stand_in(repo):
    parts = {
        f"lib/m/c{i}.rb": f"module M\n  class C{i}\n    def run = 1\n  end\nend\n"
        for i in range(60)
    }
    found = edges(repo.having({**parts, "use.rb": "def use\n  M::C7.new.run\nend\n"}))
    assert ("use", "call", "M.C7.run") in found
    assert not [edge for edge in found if edge[1] == "subclass"]


def test_a_method_may_call_the_constructor_by_its_name(repo):
    text = "class Timer\n  def initialize\n  end\n\n  def reset\n    initialize\n  end\nend\n"
    found = edges(repo.having({"lib/timer.rb": text}))
    assert ("Timer.reset", "call", "Timer.initialize") in found


def test_signs_and_assignments_call_methods(repo):
    library = """
class Table
  def [](key) = 1
  def []=(key, value)
  end
  def <<(row) = self
  def name=(text)
  end
  def name = 2
end
"""
    use = """
def fill
  table = Table.new
  table[1] = 2
  table << 3
  table.name = "a"
end

def read
  Table.new[1]
end

def listed(rows) = rows[0] + 1
"""
    found = edges(repo.having({"lib/table.rb": library, "lib/use.rb": use}))
    assert {
        ("fill", "call", "Table.[]="),
        ("fill", "call", "Table.<<"),
        ("fill", "call", "Table.name="),
        ("read", "call", "Table.[]"),
    } <= found
    assert ("fill", "call", "Table.name") not in found
    assert not [edge for edge in found if edge[0] == "listed"]


def test_methods_by_a_symbol_and_by_another_name(repo):
    text = """
class Page
  def render = 1
  alias draw render
  alias_method :paint, :render
end

def all(pages) = pages.map(&:render)
def one = Page.new.send(:render)
"""
    found = edges(repo.having({"lib/page.rb": text}))
    assert {
        ("all", "dynamic", ".render"),
        ("one", "call", "Page.render"),
        ("Page.draw", "call", "Page.render"),
        ("Page.paint", "call", "Page.render"),
    } <= found


def test_a_class_makes_instances_of_itself(repo):
    text = """
class Base
  def initialize
  end
  def self.make = new
  def copy = self.class.new
  def run = 1
end
Child = Class.new(Base)

class Cached < Base
  def self.new(*) = super
end

def run_all
  Base.make.run
  Base.make.copy.run
  Cached.new.run
end
"""
    found = edges(repo.having({"lib/base.rb": text}))
    assert {
        ("Base.make", "call", "Base"),
        ("Base.copy", "call", "Base"),
        ("Child", "subclass", "Base"),
        ("run_all", "call", "Base.run"),
        ("run_all", "call", "Cached"),
        ("run_all", "call", "Cached.new"),
    } <= found


def test_a_module_calls_what_the_classes_have_that_include_it(repo):
    files = {
        "lib/headers.rb": "module Headers\n  def length = header('length')\nend\n",
        "lib/request.rb": "class Request\n  include Headers\n  def header(name) = name\nend\n",
    }
    assert ("Headers.length", "call", "Request.header") in edges(repo.having(files))


def test_what_a_module_adds_to_those_that_include_it(repo):
    text = """
module Coercion
  def self.included(base)
    base.extend ClassMethods
  end

  module ClassMethods
    def coerce_key = 1
  end
end

class Record
  include Coercion
end

def use = Record.coerce_key
"""
    found = edges(repo.having({"lib/coercion.rb": text}))
    assert ("use", "call", "Coercion.ClassMethods.coerce_key") in found


def test_a_module_that_only_loads_others_has_members(repo):
    files = {
        "lib/i.rb": "module I\n  autoload :Tests, 'i/tests'\nend\n",
        "lib/i/tests.rb": "module I\n  module Tests\n    autoload :Basics, 'i/tests/basics'\n"
        "  end\nend\n",
        "lib/i/tests/basics.rb": "module I\n  module Tests\n    module Basics\n"
        "      def check = 1\n    end\n  end\nend\n",
        "test/api_test.rb": "class ApiTest\n  include I::Tests::Basics\nend\n",
    }
    assert ("ApiTest", "subclass", "I.Tests.Basics") in edges(repo.having(files))


def test_a_constant_is_seen_in_all_files(repo):
    files = {
        "lib/base.rb": "class Base\n  def self.make(&block) = new\n  def run = 1\nend\n",
        "lib/markdown.rb": "module Page\n  class Other; end\nend\nPage::Markdown = Base.make\n",
        "test/page_test.rb": "Page::Markdown.run\n",
    }
    found = edges(repo.having(files))
    assert ("test/page_test.rb", "variable", "Page.Markdown") in found
    assert ("test/page_test.rb", "call", "Base.run") in found


def test_variables_of_examples(repo):
    spec = """
describe Lib::Box do
  before { @box = Lib::Box.new }

  it("opens") { @box.open }
  it("closes") { described_class.new.close }
  it("has a lid") { |lid| lid }
  it("has a helper") { prepared }
  it("is small") { LIMIT }
end
LIMIT = 3
"""
    library = """
module Lib
  class Box
    def open = 1
    def close = 2
    def lid = 3
  end
end
"""
    helpers = "module Helpers\n  def prepared = 1\nend\n"
    files = {"lib/box.rb": library, "spec/box_spec.rb": spec, "spec/helpers.rb": helpers}
    found = edges(repo.having(files))
    assert {
        ("spec/box_spec.rb", "call", "Lib.Box.open"),
        ("spec/box_spec.rb", "call", "Lib.Box.close"),
        ("spec/box_spec.rb", "dynamic", ".prepared"),
        ("spec/box_spec.rb", "variable", "LIMIT"),
    } <= found
    assert ("spec/box_spec.rb", "dynamic", ".lid") not in found


def test_the_name_of_a_method_stands_for_what_it_returns(repo):
    text = """
class Config
  attr_reader :backend

  def initialize
    @backend = Backend.new
  end
end

class Backend
  def translate = 1
end

module Front
  def config = Config.new
  def text = config.backend.translate
end
"""
    assert ("Front.text", "call", "Backend.translate") in edges(repo.having({"lib/f.rb": text}))


def test_who_has_an_object_may_run_a_method_that_several_classes_have(repo):
    files = {
        "lib/logger.rb": "class Logger\n  def call(env) = env\n  def name = helper\n"
        "  def helper = 1\nend\n",
        "lib/head.rb": "class Head\n  def initialize(app)\n    @app = app\n  end\n"
        "  def call(env) = @app.call(env)\n  def helper = 2\nend\n",
    }
    found = edges(repo.having(files), places=True)
    assert ("Logger", "override", "Logger.call") in found
    assert ("Logger", "sibling", "Logger.helper") in found


def test_an_assignment_is_what_is_assigned(repo):
    text = """
module Lib
  def self.encoder
    @encoder ||= Encoder.new
  end
end

class Encoder
  def encode = 1
end

def use = Lib.encoder.encode
"""
    assert ("use", "call", "Encoder.encode") in edges(repo.having({"lib/lib.rb": text}))
