"""Definitions, imports and references found in PHP."""

from tests.unit.extract.queries.cases import Case, CaseChecks

SOURCE = """\
<?php
namespace App;

use Foo\\Bar;
use Foo\\Baz as Qux;
use Group\\{A, B as C};
require_once 'x.php';

const VERSION = '1', OTHER = 2;
define('LEGACY', 1);

/**
 * A shape.
 */
interface Shape extends Base { public function area(): float; }

#[Attr]
abstract class Circle extends Model implements Shape
{
    use Loggable;
    public const PI = 3.14;
    protected $radius, $name = 'x';

    public function __construct(private float $r) { parent::__construct(); }

    /** Makes one. */
    public static function make(int $x): static { return new self(helper($x)); }
}

trait Loggable { public function log(Foo $m) { $this->write($m); Other::baz(); } }

enum Suit: string { case Hearts = 'H'; }

function top(array $a): ?Bar { $local = 1; return new Bar($local); }

use function F\\g, F\\h as i;
use const F\\C;
use F\\{function j};
use function F\\{k};
new \\Far\\Away;
require __DIR__ . '/y.php';
"""

CASE = Case(
    "php",
    SOURCE,
    definitions="""
    9-9 constant VERSION | const VERSION = '1', OTHER = 2
    9-9 constant OTHER | const VERSION = '1', OTHER = 2
    10-10 constant LEGACY | define('LEGACY', 1)
    15-15 interface Shape | interface Shape extends Base | A shape.
    15-15 method Shape.area | public function area(): float
    17-28 class Circle | abstract class Circle extends Model implements Shape
    21-21 constant Circle.PI | public const PI = 3.14
    22-22 property Circle.radius | protected $radius, $name = 'x'
    22-22 property Circle.name | protected $radius, $name = 'x'
    24-24 constructor Circle.__construct | public function __construct(private float $r)
    24-24 field Circle.__construct.r | private float $r
    27-27 method Circle.make | public static function make(int $x): static | Makes one.
    30-30 trait Loggable | trait Loggable
    30-30 method Loggable.log | public function log(Foo $m)
    32-32 enum Suit | enum Suit: string
    32-32 enumerator Suit.Hearts | case Hearts = 'H'
    34-34 function top | function top(array $a): ?Bar
    """,
    imports="""
    2 namespace App
    4 use Foo\\Bar
    5 use Foo\\Baz Foo\\Baz as Qux
    6 use Group A,B as C
    7 require x.php
    36 function F\\g
    36 use F\\h F\\h as i
    37 const F\\C
    38 use F function j
    39 function F k
    40 name \\Far\\Away
    41 require __DIR__ . '/y.php'
    """,
    calls="""
    define:10 __construct:24 helper:27 write:30 baz:30
    """,
    types="""
    Base:15 Attr:17 Model:18 Shape:18 Loggable:20 Foo:30 Other:30 Bar:34
    Away:40
    """,
)


class TestPHP(CaseChecks):
    case = CASE
