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
