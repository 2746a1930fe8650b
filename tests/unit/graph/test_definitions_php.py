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
    assert ("Shape.area", "override", "Square.area") in found
    assert ("Base.twice", "call", "Shape.area") in found
    assert ("SquareTest.testUnknown", "dynamic", ".area") in found
