from __future__ import annotations

import pytest

from gitsearch.graph.resolvers.ruby import Ruby
from tests.unit.graph.projects import edges, project


def led(files, text, path="a.rb"):
    return edges({**files, path: text}, path)


RAILS = {"config/application.rb": "module App; end", "Gemfile": ""}


def test_a_path_is_looked_for_on_the_load_paths_of_the_project() -> None:
    files = {"lib/foo/bar.rb": "", "spec/spec_helper.rb": "", "test/cases/helper.rb": ""}
    text = 'require "foo/bar"\nrequire "spec_helper.rb"\nrequire "cases/helper"\nrequire "json"'
    assert led(files, text, "spec/foo/bar_spec.rb") == dict.fromkeys(files, "resolved")


def test_the_project_around_a_file_comes_first_and_gems_find_each_other() -> None:
    files = {
        "one/one.gemspec": "",
        "one/lib/core.rb": "",
        "one/lib/only.rb": "",
        "two/two.gemspec": "",
        "two/lib/core.rb": "",
        "two/test/helper.rb": "",
        "one/test/helper.rb": "",
    }
    text = 'require "core"\nrequire "only"\nrequire "helper"'
    assert led(files, text, "two/test/a.rb") == {
        "two/lib/core.rb": "resolved",
        "one/lib/only.rb": "resolved",
        "two/test/helper.rb": "resolved",
    }
    assert led(files, 'require "core"') == {
        "one/lib/core.rb": "ambiguous",
        "two/lib/core.rb": "ambiguous",
    }


def test_a_gemspec_names_its_load_paths() -> None:
    files = {"x.gemspec": 's.require_paths = %w[ruby/lib "core"]', "ruby/lib/x.rb": ""}
    assert led(files, 'require "x"') == {"ruby/lib/x.rb": "resolved"}
    files["x.gemspec"] = 'spec.require_paths = ["ruby/lib"]'
    assert led(files, 'require "x"') == {"ruby/lib/x.rb": "resolved"}


def test_a_relative_path_starts_at_the_file() -> None:
    files = {"lib/a/b.rb": "", "lib/c.rb": ""}
    assert led(files, 'require_relative "b"\nrequire_relative "../c"', "lib/a/x.rb") == {
        "lib/a/b.rb": "resolved",
        "lib/c.rb": "resolved",
    }
    assert led(files, 'require_relative "../../../c"', "lib/a/x.rb") == {}


def test_a_path_with_a_dot_starts_where_programs_are_run() -> None:
    files = {"app.rb": "", "config/x.rb": ""}
    assert led(files, 'require "./app"', "config.ru") == {"app.rb": "resolved"}
    assert led(files, 'require "./x"', "config/a.rb") == {"config/x.rb": "resolved"}


def test_files_are_loaded_with_their_ending() -> None:
    files = {"tasks/x.rake": "", "lib/y.rb": "", "gems/Gemfile": ""}
    text = 'load "tasks/x.rake"\nload "y.rb"\neval_gemfile "gems/Gemfile"'
    assert led(files, text, "Rakefile") == dict.fromkeys(files, "resolved")


@pytest.mark.parametrize(
    "text",
    [
        'require File.expand_path("../lib/x", __FILE__)',
        'require ::File.expand_path("lib/x", __dir__)',
        "require File.expand_path('lib/x', File.dirname(__FILE__))",
        'require File.join(File.dirname(__FILE__), "lib", "x")',
        'require __dir__ + "/lib/x"',
        'require File.dirname(__FILE__) + "/lib/x"',
        'require File.expand_path(File.join(__dir__, "lib/x"))',
        'load File.join(__dir__, "lib/x.rb")',
        'require "#{__dir__}/lib/x"',
        'require "#{File.dirname(__FILE__)}/lib/x"',
    ],
)
def test_a_path_may_be_put_together_from_that_of_the_file(text: str) -> None:
    assert led({"p/lib/x.rb": "", "lib/x.rb": ""}, text, "p/a.rb") == {"p/lib/x.rb": "resolved"}


def test_a_path_may_start_at_the_root_of_an_application() -> None:
    files = {"web/Gemfile": "", "web/lib/x.rb": ""}
    text = 'require Rails.root.join("lib", "x.rb").to_s'
    assert led(files, text, "web/config/a.rb") == {"web/lib/x.rb": "resolved"}


@pytest.mark.parametrize(
    "text", ["require path", 'require "x/#{name}"', 'require ROOT + "/x"', "require_relative a.b"]
)
def test_a_path_that_is_not_written_down_is_unseen(text: str) -> None:
    assert list(led({"lib/x.rb": ""}, text).values()) == ["dynamic-import"]


def test_what_may_be_on_a_load_path_is_ambiguous() -> None:
    assert led({"ext/tool/part/x.rb": ""}, 'require "part/x"\nrequire "x"') == {
        "ext/tool/part/x.rb": "ambiguous"
    }


def test_constants_are_registered_with_or_without_a_path() -> None:
    files = {
        "lib/foo/html_page.rb": "",
        "lib/foo/other.rb": "",
        "lib/foo/deep/down/inner.rb": "",
        "lib/bar/html_page.rb": "",
    }
    text = """\
        module Foo
          autoload :HTMLPage
          autoload :Other, "foo/other"
          autoload :Inner
        end
        """
    assert led(files, text, "lib/foo.rb") == {
        "lib/foo/html_page.rb": "resolved",
        "lib/foo/other.rb": "resolved",
        "lib/foo/deep/down/inner.rb": "resolved",
    }


def test_constants_of_an_application_need_no_import() -> None:
    files = {
        **RAILS,
        "app/models/user.rb": "class User; end",
        "app/models/concerns/taggable.rb": "module Taggable; end",
        "app/services/pay/charge.rb": "class Pay::Charge; end",
        "app/assets/thing.rb": "",
    }
    text = "class UsersController\n  include Taggable\n  User.find(Pay::Charge.new(Thing))\nend"
    assert led(files, text, "app/controllers/users_controller.rb") == {
        "app/models/user.rb": "used",
        "app/models/concerns/taggable.rb": "used",
        "app/services/pay/charge.rb": "used",
    }


def test_constants_of_modules_around_the_place_come_first() -> None:
    files = {
        **RAILS,
        "app/models/base.rb": "",
        "app/models/admin/base.rb": "",
        "app/models/other/base.rb": "",
    }
    text = "module Admin\n  class Page < Base\n  end\nend"
    assert led(files, text, "app/models/admin/page.rb") == {"app/models/admin/base.rb": "used"}


def test_a_constant_that_may_be_qualified_is_ambiguous() -> None:
    files = {**RAILS, "app/models/user.rb": "", "app/models/admin/user.rb": ""}
    assert led(files, "User.new(Admin.new)", "app/jobs/a.rb") == {
        "app/models/user.rb": "ambiguous use",
        "app/models/admin/user.rb": "ambiguous use",
    }


def test_library_folders_name_constants_where_a_loader_says_so() -> None:
    files = {"lib/foo/bar_baz.rb": "", "lib/foo.rb": ""}
    text = "module Foo\n  class X\n    BarBaz.new\n  end\nend"
    assert led(files, text, "lib/foo/x.rb") == {}
    files["lib/foo.rb"] = "loader = Zeitwerk::Loader.for_gem"
    assert led(files, text, "lib/foo/x.rb") == {"lib/foo/bar_baz.rb": "used"}
    settings = {**RAILS, "config/application.rb": "config.autoload_lib(ignore: %w(assets))"}
    assert led({**settings, "lib/tool.rb": ""}, "Tool.new") == {"lib/tool.rb": "used"}


def test_applications_of_one_tree_do_not_see_each_other() -> None:
    files = {
        "one/config/routes.rb": "",
        "one/Gemfile": "",
        "one/app/models/user.rb": "",
        "gem/test/dummy/config/routes.rb": "",
        "gem/test/dummy/Rakefile": "",
        "gem/test/dummy/app/models/user.rb": "",
    }
    assert led(files, "User.new", "two/a.rb") == {}
    assert led(files, "User.new", "gem/test/x/a.rb") == {
        "gem/test/dummy/app/models/user.rb": "used"
    }


@pytest.mark.parametrize(
    "text",
    [
        'require "../../../etc/passwd"',
        'require "/etc/passwd"',
        'require ""',
        'require "."',
        'require ".rb"',
        'require "a//b/../../.."',
        "autoload :A, ''",
        "load '/'",
        'require File.expand_path("../../../x", __FILE__)',
        "require File.join(" * 200,
    ],
)
def test_odd_paths_lead_nowhere(text: str) -> None:
    assert led({"x.rb": "", "x.gemspec": "require_paths = [[%w[../.. /etc"}, text) == {}


def test_what_resolution_looks_at_changes_with_a_gemspec() -> None:
    texts = [list(Ruby(project({"x.gemspec": text})).depends_on()) for text in ("a", "b")]
    assert texts[0] != texts[1]


@pytest.mark.parametrize(
    "text",
    [
        'config.autoload_paths << Rails.root.join("extras")',
        "config.eager_load_paths += %W(#{config.root}/extras)",
        'config.autoload_paths.push(\n  "#{root}/extras",\n  "x")',
        'config.autoload_paths += [\n  Rails.root.join("other"),\n  Rails.root.join("extras")\n]',
    ],
)
def test_an_application_names_more_folders_of_constants(text: str) -> None:
    files = {"Gemfile": "", "config/application.rb": text, "extras/tool.rb": "", "other/x.rb": ""}
    assert led(files, "Tool.new")["extras/tool.rb"] == "used"
