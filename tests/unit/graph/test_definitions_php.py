"""Which definition of PHP may run which."""

from __future__ import annotations

from tests.unit.graph.definitions import edges

FILES = {
    "composer.json": '{"autoload": {"psr-4": {"Draw\\\\": "src/"}}}\n',
    "src/Shape.php": r"""<?php
namespace Draw;

interface Shape { public function area(): int; }
""",
    "src/Named.php": r"""<?php
namespace Draw;

trait Named { public function label(): string { return $this->name(); } }
""",
    "src/Base.php": r"""<?php
namespace Draw;

use Draw\Tools\Size;
use function Draw\Tools\check;

abstract class Base implements Shape
{
    use Named;
    const LIMIT = 3;

    public function __construct(protected Size $size) { check(self::LIMIT); }
    public function twice(): int { return $this->area() * 2; }
    public function __toString() { return 'base'; }
}
""",
    "src/Square.php": r"""<?php
namespace Draw;

use Draw\Tools\Size as Box;

final class Square extends Base
{
    private ?Box $box;

    public function __construct(Box $box) { parent::__construct($box); $this->box = $box; }
    public static function unit(): static { return new static(Box::of(1)); }
    public function area(): int { return $this->size->value() + $this->box?->value(); }
    public function name(): string { return 'square'; }
    public function all(array $list): array { return array_map([$this, 'grown'], $list); }
    private function grown(Shape $shape): int { return $shape->area(); }
}
""",
    "src/Tools/Size.php": r"""<?php
namespace Draw\Tools;

class Size
{
    public static function of(int $n): Size { return new self($n); }
    public function value(): int { return 1; }
}
""",
    "src/Tools/functions.php": r"""<?php
namespace Draw\Tools;

function check(int $n): int { return $n; }
""",
    "tests/SquareTest.php": r"""<?php
namespace Draw\Tests;

use Draw\Square;

class SquareTest extends TestCase
{
    private Square $square;

    protected function setUp(): void { $this->square = Square::unit(); }
    public function testArea(): void { $this->square->twice(); $this->square->label(); }
    public function testUnknown($shape): void { $shape->area(); }
}
""",
}


def test_calls_types_and_members(repo):
    found = edges(repo.having(FILES))
    assert {
        ("Square", "subclass", "Base"),
        ("Base", "subclass", "Shape"),
        ("Base", "subclass", "Named"),
        ("Square", "constructor", "Square.__construct"),
        ("Square.__construct", "call", "Base.__construct"),
        ("Base.__construct", "call", "check"),
        ("Base.__construct", "variable", "Base.LIMIT"),
        ("Square.area", "call", "Size.value"),
        ("Square.unit", "call", "Size.of"),
        ("Square.unit", "call", "Square"),
        ("Square.all", "value", "Square.grown"),
        ("SquareTest.setUp", "call", "Square.unit"),
        ("SquareTest.testArea", "call", "Base.twice"),
        ("SquareTest.testArea", "call", "Named.label"),
        ("Base", "callback", "Base.__toString"),
    } <= found


def test_what_is_overridden_or_implemented_is_reached(repo):
    found = edges(repo.having(FILES))
    assert ("Square.grown", "call", "Shape.area") in found
    # who has a shape has one of the only class with a body for this
    assert ("Shape.area", "declaration", "Square.area") in found
    assert ("Base.twice", "call", "Shape.area") in found
    assert ("SquareTest.testUnknown", "dynamic", ".area") in found


ZOO = {
    "composer.json": '{"autoload": {"psr-4": {"Zoo\\\\": "src/"}}}\n',
    "src/Animal.php": r"""<?php
namespace Zoo;

interface Animal { public function cry(); public function name(); }
""",
    "src/Loud.php": r"""<?php
namespace Zoo;

trait Loud { public function cry() { return 'loud'; } public function send() { } }
""",
    "src/Quiet.php": r"""<?php
namespace Zoo;

abstract class Quiet
{
    public function cry() { return ''; }
    public function name() { return 'q'; }
}
""",
    "src/Bear.php": r"""<?php
namespace Zoo;

use Lib\Sender;

class Bear extends Quiet implements Animal, Sender, \Countable
{
    use Loud;
    public function count(): int { return 1; }
    public static function named($name) { return new static(); }
    private function hidden() { }
    public function open() { }
}
""",
    "src/Mouse.php": r"""<?php
namespace Zoo;

class Mouse extends Quiet implements Animal { public function squeak() { } }
""",
    "src/Size.php": r"""<?php
namespace Zoo;

enum Size { case Small; public function text() { return 's'; } }
""",
    "src/Keeper.php": r"""<?php
namespace Zoo;

use Lib\Sender;

class Keeper
{
    const KINDS = [Bear::class, Mouse::class];
    private static $last;
    /** @var Bear[] */
    private $bears = [];
    private array $mice = [];

    public function add(Mouse $mouse) { $this->mice[] = $mouse; self::$last = $mouse; }
    public function wake() { foreach ($this->bears as $bear) { $bear->open(); } }
    public function first() { array_shift($this->mice)->squeak(); }
    public function latest() { self::$last->squeak(); }
    public function make() { foreach (self::KINDS as $kind) { $kind::named('x'); } }
    public function post(Sender $sender) { $sender->send(); }
    public function size() { return Size::Small->text(); }
    /**
     * @param array<string, Bear> $bears of a kind
     * @return Mouse|null
     */
    public function swap($bears) { $bears['a']->open(); return end($this->all); }
    public function each() { yield new Mouse(); }
    public function hear() { foreach ($this->each() as $one) { $one->squeak(); } }
    public function trade() { $this->swap([])->squeak(); }
}
""",
    "tests/AnimalCase.php": r"""<?php
namespace Zoo\Tests;

abstract class AnimalCase extends \PHPUnit\Framework\TestCase
{
    public function testCry() { $this->animal()->cry(); }
    abstract protected function animal();
}
""",
}


def test_types_of_comments_lists_constants_and_static_properties(repo):
    found = edges(repo.having(ZOO))
    assert {
        ("Keeper.wake", "call", "Bear.open"),
        ("Keeper.swap", "call", "Bear.open"),
        ("Keeper.first", "call", "Mouse.squeak"),
        ("Keeper.latest", "call", "Mouse.squeak"),
        ("Keeper.hear", "call", "Mouse.squeak"),
        ("Keeper.trade", "call", "Mouse.squeak"),
        ("Keeper.make", "call", "Bear.named"),
        ("Keeper.size", "call", "Size.text"),
    } <= found


def test_what_a_trait_gives_comes_first_and_overrides(repo):
    use = (
        "<?php\nnamespace Zoo;\n"
        "function hear(Bear $b, Mouse $m, Animal $a) { $b->cry(); $m->cry(); $a->cry(); }\n"
    )
    found = edges(repo.having(ZOO | {"src/Use.php": use}))
    assert {
        ("hear", "call", "Loud.cry"),
        ("hear", "call", "Quiet.cry"),
        ("hear", "call", "Animal.cry"),
        ("Animal.cry", "override", "Loud.cry"),
        ("Animal.cry", "override", "Quiet.cry"),
        ("Loud", "override", "Loud.cry"),
        ("Animal.name", "declaration", "Quiet.name"),
    } <= found


def test_an_interface_of_a_library_calls_what_is_called_through_it(repo):
    found = edges(repo.having(ZOO))
    assert {
        ("Bear", "callback", "Bear.count"),
        ("Loud", "callback", "Loud.send"),
        ("AnimalCase", "special", "AnimalCase.testCry"),
    } <= found
    assert found.isdisjoint(
        {("Bear", "callback", f"Bear.{name}") for name in ("open", "hidden", "named")}
    )


def test_a_method_of_tests_does_not_stand_for_one_without_a_body(repo):
    fake = (
        "<?php\nnamespace Zoo\\Tests;\nclass Fake implements \\Zoo\\Pet { function pat() { } }\n"
    )
    pet = "<?php\nnamespace Zoo;\ninterface Pet { function pat(); }\n"
    found = edges(repo.having(ZOO | {"src/Pet.php": pet, "tests/FakeTest.php": fake}))
    assert ("Pet.pat", "override", "Fake.pat") in found
