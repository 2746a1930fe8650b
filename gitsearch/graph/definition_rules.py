"""What the resolution of definitions must know of a language: a few facts, no code."""

from __future__ import annotations

from typing import NamedTuple

# Names that a file sees without an import: none; those of the whole package, of its files that use
# them, of all files that it leads to, or of these and all that they lead to.
FILE, PACKAGE, USED, LINKED, INCLUDED = "file", "package", "used", "linked", "included"
REACHING = frozenset({LINKED, INCLUDED})


class LanguageRules(NamedTuple):
    """How the names of a language are resolved.

    receivers: names of the object whose method runs; class_receivers: of its class.
    builtins: names that are bound in no file; capitals: so is one with a capital that is unknown.
    scope: FILE, PACKAGE, USED, LINKED or INCLUDED.
    hands_on: what a file imports is imported from it, too.
    implicit: a name alone may be a member of the classes around.
    apart: a call means a method, any other use a variable, if both have the name.
    structural: a type with the methods of an interface implements it.
    special: members with two underscores on both sides are called by the language.
    operators: operators of a class are called by the language.
    marked: what overrides a member of a base outside of the tree is marked `Override`.
    calls_back: a base outside of the tree may call methods.
    dispatched: who has an instance may run what its class overrides, where more classes than this
        do, or in an open language have a member of this name; 0: never.
    unmade: who names a class and does not call it makes no instance.
    initialized: what fields are initialized with runs when an instance is made.
    whole: a module may be one value, which its importers get.
    submodules: a package has the modules in it as members.
    plain_bases: classes of the library of the language that call nothing but special methods of
        those below them; plain_modules: the packages that have them, unless they are built in.
    spaces: kinds of what is around definitions and has no members of its own.
    apart_members: methods may be written outside of their type, in another file.
    declares: functions are declared in one place and defined in another.
    linked: what is called and not seen is what a header declares that a file gets some other way.
    parts: a type may be written in several parts, which have all members together.
    extended: values have the members that functions which are seen add to them.
    everywhere: names with a capital are seen in all files of the language.
    maker: the member of a class that makes an instance, of the class around without an owner.
    open: objects may have members that are not seen, such as those of modules that are mixed into
        them elsewhere: of a module those of the classes below it are its own, too, what is
        assigned to `this` outside of classes is known there, and signs call members.
    computed: kinds of members that run when they are read.
    paths: names of modules that a path begins with, by files: that of the crate, and those above.
    qualified: a path may begin with the name of a package, which no import binds.
    library: methods of interfaces that the library of the language calls.
    shaped: types say what objects have that are written out, and fields hold functions of those.
    mixes: functions give an object the members of another one, and interfaces say how their values
        are called.
    traits: methods of traits that are in scope may be called of values of any type.
    owned: a field is meant behind a value only, also one of a type without a name in a function.
    elements: a type may be another name for what holds values of others: a slice or a map.
    mixins: kinds of types whose members are those of the classes that name them as bases; they
        come before those of other bases, and those of interfaces last.
    ending: methods that run when there is an instance no longer.
    tests: how methods begin that a library of tests runs, of classes with a base in it.
    """

    receivers: frozenset[str] = frozenset({"this"})
    class_receivers: frozenset[str] = frozenset()
    builtins: frozenset[str] = frozenset()
    capitals: bool = True
    scope: str = FILE
    hands_on: bool = False
    implicit: bool = False
    apart: bool = False
    structural: bool = False
    special: bool = False
    operators: bool = False
    marked: bool = False
    calls_back: bool = True
    dispatched: int = 0
    unmade: bool = False
    initialized: bool = False
    whole: bool = False
    submodules: bool = False
    library: frozenset[str] = frozenset()
    plain_bases: frozenset[str] = frozenset()
    plain_modules: frozenset[str] = frozenset()
    spaces: frozenset[str] = frozenset()
    apart_members: bool = False
    declares: bool = False
    linked: bool = False
    parts: bool = False
    extended: bool = False
    everywhere: bool = False
    maker: str = ""
    open: bool = False
    computed: frozenset[str] = frozenset()
    paths: bool = False
    qualified: bool = False
    shaped: bool = False
    mixes: bool = False
    traits: bool = False
    owned: bool = False
    elements: bool = False
    mixins: frozenset[str] = frozenset()
    ending: frozenset[str] = frozenset()
    tests: tuple[str, ...] = ()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PYTHON = LanguageRules(
    receivers=_words("self cls this Self"),
    class_receivers=_words("cls Self"),
    builtins=_words(
        "abs all any bin bool bytearray bytes chr complex dict divmod enumerate filter float"
        " format frozenset hash hex id input int isinstance iter len list map max memoryview min"
        " next object open ord pow print range repr reversed round set slice sorted str sum"
        " tuple type vars zip"
    ),
    capitals=False,
    hands_on=True,
    submodules=True,
    special=True,
    dispatched=1,
    plain_bases=_words(
        "ABC AbstractAsyncContextManager AbstractContextManager ArithmeticError AssertionError"
        " AsyncContextManager AsyncIterable AsyncIterator AttributeError Awaitable"
        " BaseException Callable Collection Container ContextManager"
        " DeprecationWarning EOFError Exception Generic Hashable IOError ImportError"
        " IndexError ItemsView Iterable Iterator KeyError KeysView LookupError Mapping"
        " MutableMapping NameError NamedTuple NotImplementedError"
        " OSError Protocol Reversible RuntimeError RuntimeWarning Sequence Sized SyntaxError"
        " TypeError TypedDict UserWarning ValueError ValuesView Warning bool bytes dict float"
        " frozenset int list object set str tuple type"
    ),
    plain_modules=_words("abc collections contextlib typing typing_extensions"),
)

_ECMASCRIPT = LanguageRules(
    builtins=_words(
        "after afterAll afterEach assert atob before beforeAll beforeEach btoa clearInterval"
        " clearTimeout console context decodeURIComponent describe document encodeURIComponent"
        " expect fetch globalThis isFinite isNaN it jest parseFloat parseInt process"
        " queueMicrotask require setImmediate setInterval setTimeout structuredClone suite test vi"
        " window"
    ),
    hands_on=True,
    plain_bases=_words(
        "AggregateError Array ArrayBuffer Boolean Buffer DOMException Error EvalError EventEmitter"
        " Event EventTarget Function Headers Map Number Object Promise RangeError ReferenceError"
        " RegExp Request Response Set String SyntaxError TypeError URIError URL URLSearchParams"
        " Uint8Array WeakMap WeakSet"
    ),
    plain_modules=_words("buffer events node:buffer node:events node:url url"),
    initialized=True,
    whole=True,
    shaped=True,
    mixes=True,
    library=_words("then toJSON toString valueOf"),
)

_GO = LanguageRules(
    receivers=frozenset(),
    builtins=_words(
        "any append bool byte cap clear close comparable complex complex128 complex64 copy delete"
        " error float32 float64 imag int int16 int32 int64 int8 len make max min new panic print"
        " println real recover rune string uint uint16 uint32 uint64 uint8 uintptr"
    ),
    scope=PACKAGE,
    structural=True,
    owned=True,
    elements=True,
    calls_back=False,
    library=_words(
        "Close Error Flush Format GoString Header Len Less MarshalBinary MarshalJSON MarshalText"
        " Read ReadFrom RoundTrip Scan ServeHTTP String Swap UnmarshalBinary UnmarshalJSON"
        " UnmarshalText Unwrap Write WriteHeader WriteString WriteTo"
    ),
)

_JAVA = LanguageRules(
    scope=USED,
    implicit=True,
    apart=True,
    marked=True,
    qualified=True,
    dispatched=4,
    unmade=True,
    initialized=True,
)

_RUST = LanguageRules(
    receivers=_words("self Self"),
    class_receivers=_words("Self"),
    builtins=_words(
        "alloc assert assert_eq assert_ne bool char concat core dbg debug_assert debug_assert_eq"
        " env eprintln f32 f64 format i128 i16 i32 i64 i8 include_bytes include_str isize matches"
        " panic print println std str stringify todo u128 u16 u32 u64 u8 unimplemented"
        " unreachable usize vec write writeln"
    ),
    hands_on=True,
    apart=True,
    spaces=_words("module"),
    apart_members=True,
    paths=True,
    traits=True,
    ending=_words("drop"),
)

_C = LanguageRules(
    receivers=frozenset(),
    builtins=_words("NULL bool char double float int long short size_t unsigned void"),
    scope=INCLUDED,
    apart=True,
    calls_back=False,
    spaces=_words("namespace enum"),
    declares=True,
    linked=True,
)

_CPP = _C._replace(
    receivers=frozenset({"this"}),
    builtins=_C.builtins | _words("absl auto boost false fmt nullptr std string testing true"),
    linked=False,
    operators=True,
    implicit=True,
    calls_back=True,
    initialized=True,
    apart_members=True,
)

_CSHARP = LanguageRules(
    receivers=_words("this"),
    scope=LINKED,
    implicit=True,
    apart=True,
    initialized=True,
    spaces=_words("namespace"),
    parts=True,
    extended=True,
    computed=_words("property"),
)

_KOTLIN = LanguageRules(
    builtins=_words(
        "arrayOf check emptyList emptyMap emptySet error lazy listOf mapOf mutableListOf"
        " mutableMapOf mutableSetOf println require setOf to"
    ),
    scope=USED,
    implicit=True,
    apart=True,
    initialized=True,
    extended=True,
)

_RUBY = LanguageRules(
    receivers=_words("self this"),
    implicit=True,
    parts=True,
    everywhere=True,
    maker="new",
    open=True,
    dispatched=1,
    library=_words(
        "coerce const_missing each eql? extended hash included inherited initialize_copy inspect"
        " method_added method_missing prepended respond_to_missing? to_a to_ary to_h to_hash"
        " to_proc to_s to_str"
    ),
)

# Classes of PHP that call nothing but methods of its library.
_PHP_BASES = _words(
    "ArgumentCountError ArithmeticError ArrayAccess BackedEnum BadFunctionCallException"
    " BadMethodCallException Countable DomainException Error ErrorException Exception"
    " InvalidArgumentException IteratorAggregate JsonException JsonSerializable LengthException"
    " LogicException OutOfBoundsException OutOfRangeException OverflowException RangeException"
    " RuntimeException Stringable Throwable Traversable TypeError UnderflowException"
    " UnexpectedValueException UnitEnum ValueError"
)

_PHP = LanguageRules(
    receivers=_words("this self"),
    class_receivers=_words("self static"),
    scope=LINKED,
    apart=True,
    dispatched=1,
    library=_words(
        "__call __callStatic __clone __debugInfo __destruct __get __invoke __isset __serialize"
        " __set __set_state __sleep __toString __unserialize __unset __wakeup count getIterator"
        " jsonSerialize offsetExists offsetGet offsetSet offsetUnset"
    ),
    plain_bases=_PHP_BASES,
    plain_modules=_PHP_BASES,
    mixins=_words("trait"),
    tests=("test", "setUp", "tearDown"),
)

RULES = {
    "python": _PYTHON,
    "javascript": _ECMASCRIPT,
    "typescript": _ECMASCRIPT,
    "tsx": _ECMASCRIPT,
    "go": _GO,
    "java": _JAVA,
    "c": _C,
    "cpp": _CPP,
    "csharp": _CSHARP,
    "kotlin": _KOTLIN,
    "php": _PHP,
    "ruby": _RUBY,
    "rust": _RUST,
}
