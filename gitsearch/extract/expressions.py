"""Expressions and types of a text in a short form that does not depend on the language.

Names, `.member`, `()` for a call, `[]` for an element, `#` for a value that no definition of the
tree has made, `"name"` for a module, `@Name` for a value of a type that a comment names, `?` for
anything else; `|` before each of several alternatives. A type is written as what it has: a call of
its name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from gitsearch.extract import syntax

LITERAL, UNKNOWN = "#", "?"

# Longer expressions, and deeper ones, are unknown.
_LONGEST = 120
_DEEPEST = 20

# The most alternatives of a type, and the most nodes of it that are looked at.
_MOST_TYPES = 8
_MOST_NODES = 100

# What stands between the parts of the name of a type, and its arguments.
_SEPARATORS = str.maketrans({":": ".", "\\": "."})
_ARGUMENTS = re.compile(r"[<\[]")

# What stands around the names of types: the sign of an annotation, quotes, that of a null.
_AROUND_TYPES = " \t\n:'\"?"

# Modules of the library of Python that have `keeping`, `casting` and `tops`.
LIBRARY = frozenset({"builtins", "copy", "pickle", "typing", "typing_extensions"})

# A type whose values are classes: `type[A]`, `t.Type[A]`.
_GENERIC = frozenset({"generic_type", "subscript"})
_CLASS = re.compile(rb"(?:\w+\.)?[Tt]ype\[")

_EMPTY: Mapping[str, str] = {}
_NO_PAIRS: Mapping[str, tuple[str, str]] = {}


class ExpressionNodes(NamedTuple):
    """The types of nodes that make up the expressions of a grammar.

    Where a field is "" the first node is meant, or the last one of two.
    members: nodes `a.b`, with the fields of both; calls, elements: with the field of what is
    called, or of what has the element; method_calls: `a.b()` as one node; made: values of the type
    in a field; wrappers: that stand for the last node in them; alternatives: for one of several,
    with the place of the condition or -1, and operators: if only with these; types: nodes
    that are types, type_names and qualified_types: those that name one; opaque: whose parts are
    no parts of a value; quoted: types may be strings; imports: functions that return a module, and
    making: that return a value of the type which is their first argument; keeping: that return
    their first argument, what it holds or a copy of it; casting: the same, of a type; class_of:
    that return the class of their first argument; operators_named: members that are called by
    signs, where these are no names of them; hooks: methods of a module that are called with what
    includes it: what they add to this, they add to all that has its members; named: functions and
    classes that stand for the definition of their name, if they have one; declares: functions are
    declared in one place and defined in another; renamed: words of the language that mean `this`
    or `super`; attributes: variables that are members of `this`; paths: names of which the last
    part counts; lists: that stand for what they hold; itself: the member of a class that is this
    class; documented: comments give types as they do in PHP; abstract: methods without a body
    are noted; named_in_strings: strings may be paths of modules and of what they define; tops:
    types that every value has, of which members may be used without a cast.
    """

    names: frozenset[str]
    members: Mapping[str, tuple[str, str]]
    calls: Mapping[str, str]
    elements: Mapping[str, str]
    wrappers: frozenset[str]
    alternatives: Mapping[str, int]
    literals: frozenset[str]
    types: frozenset[str]
    type_names: frozenset[str]
    qualified_types: frozenset[str]
    method_calls: Mapping[str, tuple[str, str]] = _NO_PAIRS
    made: Mapping[str, str] = _EMPTY
    operators: frozenset[str] = frozenset()
    opaque: frozenset[str] = frozenset()
    literal_types: frozenset[str] = frozenset()
    renamed: Mapping[str, str] = _EMPTY
    attributes: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()
    declares: bool = False
    quoted: bool = False
    imports: frozenset[str] = frozenset()
    making: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    keeping: frozenset[str] = frozenset()
    casting: frozenset[str] = frozenset()
    class_of: frozenset[str] = frozenset()
    operators_named: Mapping[str, str] = _EMPTY
    hooks: frozenset[str] = frozenset()
    lists: frozenset[str] = frozenset()
    itself: str = ""
    documented: bool = False
    abstract: bool = False
    named_in_strings: bool = False
    tops: frozenset[str] = frozenset()


def without_own(nodes: ExpressionNodes, own: Collection[str]) -> ExpressionNodes:
    """Return the nodes for a text in which some names are not those of the language.

    own: what it defines, or imports from elsewhere.
    """

    def others(names: frozenset[str]) -> frozenset[str]:
        return frozenset(name for name in names if name.partition(".")[0] not in own)

    return nodes._replace(
        keeping=others(nodes.keeping),
        casting=others(nodes.casting),
        class_of=others(nodes.class_of),
        tops=others(nodes.tops),
    )


def text_of(node: syntax.Node) -> str:
    """Return the text of a node."""
    return (node.text or b"").decode("utf-8", "replace")


def expression(node: syntax.Node, nodes: ExpressionNodes) -> str:
    """Return the short form of an expression or a type."""
    text = _short(node, nodes, 0)
    return text if len(text) <= _LONGEST else UNKNOWN


def typed(node: syntax.Node, nodes: ExpressionNodes) -> str:
    """Return the short form of a value of the type that a node stands for."""
    text = _instances(node, nodes)
    return text if len(text) <= _LONGEST else UNKNOWN


def _instances(node: syntax.Node, nodes: ExpressionNodes) -> str:
    """Return what values of a type may be: unknown if any value has it, as one without a type."""
    alternatives = text_of(node).split("|") if nodes.tops else ()
    if any(one.strip(_AROUND_TYPES) in nodes.tops for one in alternatives):
        return UNKNOWN
    return _alternatives(_type_names(node, nodes))


def _short(node: syntax.Node, nodes: ExpressionNodes, depth: int) -> str:
    kind = node.type
    if depth > _DEEPEST:
        return UNKNOWN
    if kind in nodes.types:
        return _instances(node, nodes)
    if kind in nodes.names:
        return nodes.renamed.get(text_of(node), text_of(node).lstrip(":"))
    if kind in nodes.attributes:
        return "this." + text_of(node).lstrip("@")
    if kind in nodes.paths:
        return _last(text_of(node))
    if kind in nodes.members:
        return _member(node, nodes, nodes.members[kind], depth)
    if kind in nodes.method_calls:
        return _member(node, nodes, nodes.method_calls[kind], depth) + "()"
    if kind in nodes.calls:
        text = _built_in(node, nodes, depth) or _suffixed(
            node, nodes, nodes.calls[kind], "()", depth
        )
        return _with_arguments(text, node, nodes)
    if kind in nodes.elements:
        return _suffixed(node, nodes, nodes.elements[kind], "[]", depth)
    return _standing(node, nodes, depth)


def _standing(node: syntax.Node, nodes: ExpressionNodes, depth: int) -> str:
    """Return the expression that a node stands for."""
    kind = node.type
    if kind in nodes.made:
        made = _part(node, nodes.made[kind], -1)
        return _instances(made, nodes) if made is not None else UNKNOWN
    if kind in nodes.wrappers and node.named_child_count:
        return _short(node.named_children[-1], nodes, depth + 1)
    if kind in nodes.named and (name := node.child_by_field_name("name")) is not None:
        return text_of(name)
    if kind in nodes.alternatives and _is_choice(node, nodes):
        return _either(node, nodes, depth)
    if kind in nodes.lists:
        return _held(node, nodes, depth)
    return LITERAL if kind in nodes.literals else UNKNOWN


def _suffixed(
    node: syntax.Node, nodes: ExpressionNodes, field: str, suffix: str, depth: int
) -> str:
    inner = _part(node, field, 0)
    return _short(inner, nodes, depth + 1) + suffix if inner is not None else UNKNOWN


def _last(name: str) -> str:
    return _dotted(name).rpartition(".")[2]


def _part(node: syntax.Node, field: str, place: int) -> syntax.Node | None:
    """Return the node in a field, or without one the node at a place."""
    if field:
        return node.child_by_field_name(field)
    return node.named_children[place] if node.named_child_count else None


def _with_arguments(text: str, node: syntax.Node, nodes: ExpressionNodes) -> str:
    """Return a call as it is, or as what it makes by the types in angle brackets, too."""
    called = node.child_by_field_name("function") if nodes.declares else None
    types = _arguments_of(called) if called is not None else []
    made = [name for one in types for name in _type_names(one, nodes)]
    return _alternatives([text, *made]) if made and "|" not in text else text


def _built_in(node: syntax.Node, nodes: ExpressionNodes, depth: int) -> str:
    """Return what a call of the language itself returns, by its first argument, or ""."""
    special = nodes.imports or nodes.making or nodes.keeping
    called = node.child_by_field_name("function") if special else None
    arguments = node.child_by_field_name("arguments")
    if called is None or arguments is None or not arguments.named_child_count:
        return ""
    first, name = arguments.named_children[0], text_of(called)
    if name in nodes.making:
        return _short(first, nodes, depth + 1)
    if name in nodes.casting:
        return typed(first, nodes)
    if name in nodes.keeping or (name in nodes.class_of and arguments.named_child_count == 1):
        text = _short(first, nodes, depth + 1)
        if UNKNOWN in text or "|" in text:
            return ""
        return text if name in nodes.keeping else f"{text}.__class__"
    if name not in nodes.imports or first.type != "string":
        return ""
    module = text_of(first)[1:-1]
    return f'"{module}"' if module and not {'"', "|"} & set(module) else ""


def _member(node: syntax.Node, nodes: ExpressionNodes, fields: tuple[str, str], depth: int) -> str:
    owner, member = (
        _part(node, field, place) for field, place in zip(fields, (0, -1), strict=True)
    )
    name = text_of(member).lstrip("#.?!:") if member is not None else UNKNOWN
    # a static property of PHP
    name = name.lstrip("$") if member is not None and member.type == "variable_name" else name
    if nodes.itself and name == nodes.itself and owner is not None:
        return _short(owner, nodes, depth + 1)
    name = _dotted(name) if {":", "<"} & set(name) else name
    return name if owner is None else f"{_short(owner, nodes, depth + 1)}.{name}"


def _is_choice(node: syntax.Node, nodes: ExpressionNodes) -> bool:
    operator = node.child_by_field_name("operator")
    return not nodes.operators or operator is None or operator.type in nodes.operators


def _alternatives(names: list[str]) -> str:
    """Return one expression for several."""
    unique = list(dict.fromkeys(names))
    return "|" + "|".join(unique) if len(unique) > 1 else "".join(unique) or UNKNOWN


def _either(node: syntax.Node, nodes: ExpressionNodes, depth: int) -> str:
    """Return the alternatives of `a or b` and `a if b else c`."""
    children = node.named_children
    condition = nodes.alternatives[node.type]
    if condition >= 0:
        del children[condition : condition + 1]
    inner = [_short(child, nodes, depth + 1) for child in children]
    return _alternatives([one for one in inner if UNKNOWN not in one and "|" not in one])


def _held(node: syntax.Node, nodes: ExpressionNodes, depth: int) -> str:
    """Return the alternatives of what a list holds, as many as an expression has room for."""
    held: list[str] = []
    for child in node.named_children[:_MOST_NODES]:
        if child.named_child_count and len(held) < _MOST_TYPES:
            one = _short(child.named_children[-1], nodes, depth + 1)
            known = one != LITERAL and UNKNOWN not in one and "|" not in one
            if known and len(_alternatives([*held, one])) <= _LONGEST:
                held.append(one)
    return _alternatives(held or [LITERAL])


def _arguments_of(node: syntax.Node) -> list[syntax.Node]:
    """Return the arguments of the type that a qualified name ends with."""
    last: syntax.Node | None = node
    while last is not None:
        arguments = last.child_by_field_name("arguments")
        if arguments is not None:
            return arguments.named_children
        last = last.child_by_field_name("name")
    return []


def _dotted(name: str) -> str:
    """Return the name of a type with dots between its parts, without its arguments."""
    plain = _ARGUMENTS.split(name, 1)[0]
    return plain.translate(_SEPARATORS).replace("..", ".").strip(".")


def _type_names(node: syntax.Node, nodes: ExpressionNodes) -> list[str]:
    """Return the instances that a type may mean, as calls of the names in it."""
    names: list[str] = []
    todo = [node]
    for _ in range(_MOST_NODES):
        if not todo or len(names) >= _MOST_TYPES:
            break
        one = todo.pop()
        if one.type in nodes.type_names or one.type in nodes.qualified_types:
            name = nodes.renamed.get(text_of(one), _dotted(text_of(one)))
            names.append(f"{_last(name) if one.type in nodes.paths else name}()")
            todo += reversed(_arguments_of(one))
        elif one.type in nodes.literal_types:
            names.append(LITERAL)
        elif nodes.quoted and one.type == "string":
            parts = text_of(one).strip("'\"").split("|")
            names += [f"{part.strip()}()" for part in parts if part.strip().isidentifier()]
        elif nodes.quoted and one.type in _GENERIC and _CLASS.match(one.text or b""):
            # the class itself, not one of its instances
            names += [
                name.removesuffix("()") for name in _type_names(one.named_children[-1], nodes)
            ]
        elif one.type not in nodes.opaque:
            todo += reversed(one.named_children)
    return names


# The names by which files of Python know the modules with types for annotations.
_TYPING = ("t", "te", "typing", "typing_extensions")

_PYTHON = ExpressionNodes(
    names=frozenset({"identifier"}),
    members={"attribute": ("object", "attribute")},
    calls={"call": "function"},
    elements={"subscript": "value"},
    wrappers=frozenset(
        {"await", "parenthesized_expression", "list_splat", "expression_statement"}
    ),
    alternatives={"boolean_operator": -1, "conditional_expression": 1},
    literals=frozenset(
        {
            "binary_operator",
            "comparison_operator",
            "concatenated_string",
            "dictionary",
            "dictionary_comprehension",
            "false",
            "float",
            "generator_expression",
            "integer",
            "lambda",
            "list",
            "list_comprehension",
            "none",
            "not_operator",
            "set",
            "set_comprehension",
            "string",
            "true",
            "tuple",
        }
    ),
    types=frozenset({"type"}),
    type_names=frozenset({"identifier"}),
    qualified_types=frozenset({"attribute"}),
    quoted=True,
    renamed={f"{module}.Self": "Self" for module in _TYPING},
    keeping=frozenset(
        {
            "copy",
            "copy.copy",
            "copy.deepcopy",
            "deepcopy",
            "frozenset",
            "iter",
            "list",
            "next",
            "pickle.dumps",
            "pickle.loads",
            "reversed",
            "set",
            "sorted",
            "tuple",
        }
    ),
    casting=frozenset({"cast", "t.cast", "typing.cast"}),
    class_of=frozenset({"type"}),
    named_in_strings=True,
    tops=frozenset({"Any", "object", *(f"{module}.Any" for module in _TYPING)}),
)

_ECMASCRIPT = ExpressionNodes(
    names=frozenset(
        {
            "identifier",
            "property_identifier",
            "shorthand_property_identifier_pattern",
            "super",
            "this",
        }
    ),
    members={"member_expression": ("object", "property")},
    calls={"call_expression": "function", "new_expression": "constructor"},
    elements={"subscript_expression": "object"},
    wrappers=frozenset(
        {
            "as_expression",
            "assignment_expression",
            "await_expression",
            "non_null_expression",
            "parenthesized_expression",
            "satisfies_expression",
            "sequence_expression",
        }
    ),
    alternatives={"binary_expression": -1, "ternary_expression": 0},
    operators=frozenset({"||", "&&", "??"}),
    named=frozenset({"class", "function_expression", "generator_function"}),
    literals=frozenset(
        {
            "array",
            "binary_expression",
            "false",
            "null",
            "number",
            "object",
            "regex",
            "string",
            "template_string",
            "true",
            "unary_expression",
            "undefined",
        }
    ),
    types=frozenset(
        {
            "array_type",
            "generic_type",
            "intersection_type",
            "nested_type_identifier",
            "predefined_type",
            "type_annotation",
            "type_identifier",
            "union_type",
        }
    ),
    type_names=frozenset({"type_identifier"}),
    qualified_types=frozenset({"nested_type_identifier"}),
    literal_types=frozenset({"predefined_type", "literal_type"}),
    opaque=frozenset({"function_type", "object_type", "type_predicate_annotation"}),
    imports=frozenset({"require", "import"}),
    making=frozenset(
        {
            "Object.assign",
            "Object.create",
            "Object.defineProperties",
            "Object.defineProperty",
            "Object.freeze",
            "Object.preventExtensions",
            "Object.seal",
            "Object.setPrototypeOf",
        }
    ),
    tops=frozenset({"Object", "any", "object", "unknown"}),
)

_GO = ExpressionNodes(
    names=frozenset({"identifier", "field_identifier", "package_identifier"}),
    members={"selector_expression": ("operand", "field")},
    calls={"call_expression": "function"},
    elements={"index_expression": "operand", "slice_expression": "operand"},
    wrappers=frozenset({"parenthesized_expression", "unary_expression", "expression_list"}),
    alternatives={},
    literals=frozenset(
        {
            "binary_expression",
            "false",
            "float_literal",
            "int_literal",
            "interpreted_string_literal",
            "nil",
            "raw_string_literal",
            "rune_literal",
            "true",
        }
    ),
    types=frozenset(
        {
            "array_type",
            "channel_type",
            "generic_type",
            "map_type",
            "parameter_list",
            "pointer_type",
            "qualified_type",
            "slice_type",
            "type_identifier",
        }
    ),
    type_names=frozenset({"type_identifier"}),
    qualified_types=frozenset({"qualified_type"}),
    # a call of a generic function with one argument is parsed as a conversion
    made={
        "composite_literal": "type",
        "type_assertion_expression": "type",
        "type_conversion_expression": "type",
    },
    opaque=frozenset({"function_type", "interface_type", "struct_type"}),
    making=frozenset({"make", "new"}),
)

_JAVA = ExpressionNodes(
    names=frozenset({"identifier", "this", "super"}),
    members={"field_access": ("object", "field")},
    calls={},
    method_calls={"method_invocation": ("object", "name")},
    elements={"array_access": "array"},
    wrappers=frozenset({"parenthesized_expression", "assignment_expression"}),
    alternatives={"ternary_expression": 0},
    literals=frozenset(
        {
            "array_initializer",
            "binary_expression",
            "character_literal",
            "class_literal",
            "decimal_floating_point_literal",
            "decimal_integer_literal",
            "false",
            "null_literal",
            "string_literal",
            "true",
            "unary_expression",
        }
    ),
    types=frozenset(
        {
            "array_type",
            "boolean_type",
            "catch_type",
            "floating_point_type",
            "generic_type",
            "integral_type",
            "scoped_type_identifier",
            "type_identifier",
            "void_type",
        }
    ),
    type_names=frozenset({"type_identifier"}),
    qualified_types=frozenset({"scoped_type_identifier"}),
    literal_types=frozenset({"boolean_type", "floating_point_type", "integral_type", "void_type"}),
    made={"object_creation_expression": "type", "cast_expression": "type"},
)

# The methods of traits of the library of Rust that signs call; `=` behind one assigns.
_CALCULATING = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div",
    "%": "rem",
    "&": "bitand",
    "|": "bitor",
    "^": "bitxor",
    "<<": "shl",
    ">>": "shr",
}
_SIGNS_OF_RUST = {
    **_CALCULATING,
    **{f"{sign}=": f"{name}_assign" for sign, name in _CALCULATING.items()},
    **dict.fromkeys(("<", ">", "<=", ">="), "partial_cmp"),
    **dict.fromkeys(("==", "!="), "eq"),
    "[": "index",
    "!": "not",
}

_RUST = ExpressionNodes(
    names=frozenset({"identifier", "self", "super", "crate", "field_identifier"}),
    members={"field_expression": ("value", "field"), "scoped_identifier": ("path", "name")},
    calls={"call_expression": "function"},
    elements={"generic_function": "function", "index_expression": ""},
    wrappers=frozenset(
        {
            "await_expression",
            "bracketed_type",
            "parenthesized_expression",
            "reference_expression",
            "try_expression",
            "unary_expression",
        }
    ),
    # `<Type as Trait>`: a member is of the type, or of the trait
    alternatives={"qualified_type": -1},
    literals=frozenset(
        {
            "array_expression",
            "binary_expression",
            "boolean_literal",
            "char_literal",
            "float_literal",
            "integer_literal",
            "raw_string_literal",
            "string_literal",
            "tuple_expression",
            "unit_expression",
        }
    ),
    types=frozenset(
        {
            "abstract_type",
            "array_type",
            "dynamic_type",
            "generic_type",
            "pointer_type",
            "primitive_type",
            "reference_type",
            "scoped_type_identifier",
            "tuple_type",
            "type_identifier",
            "unit_type",
        }
    ),
    type_names=frozenset({"type_identifier"}),
    qualified_types=frozenset({"scoped_type_identifier"}),
    literal_types=frozenset({"primitive_type", "unit_type"}),
    made={"struct_expression": "name", "type_cast_expression": "type"},
    opaque=frozenset({"function_type", "lifetime"}),
    operators_named=_SIGNS_OF_RUST,
)

_C = ExpressionNodes(
    names=frozenset(
        {"identifier", "field_identifier", "namespace_identifier", "this", "type_identifier"}
    ),
    members={
        "field_expression": ("argument", "field"),
        "qualified_identifier": ("scope", "name"),
    },
    calls={"call_expression": "function"},
    elements={
        "subscript_expression": "argument",
        "template_function": "name",
        "template_method": "name",
        "template_type": "name",
    },
    wrappers=frozenset({"parenthesized_expression", "pointer_expression", "unary_expression"}),
    alternatives={"conditional_expression": 0},
    literals=frozenset(
        {
            "binary_expression",
            "char_literal",
            "concatenated_string",
            "false",
            "null",
            "number_literal",
            "raw_string_literal",
            "sizeof_expression",
            "string_literal",
            "true",
        }
    ),
    types=frozenset({"primitive_type", "type_descriptor", "struct_specifier", "enum_specifier"}),
    type_names=frozenset({"type_identifier"}),
    qualified_types=frozenset({"qualified_identifier"}),
    literal_types=frozenset({"primitive_type", "sized_type_specifier"}),
    made={
        "cast_expression": "type",
        "compound_literal_expression": "type",
        "new_expression": "type",
    },
    opaque=frozenset(
        {
            "abstract_function_declarator",
            "decltype",
            "enumerator_list",
            "field_declaration_list",
            "namespace_identifier",
            "placeholder_type_specifier",
        }
    ),
    declares=True,
)

_CPP = _C._replace(
    # operators of classes return values of some type, often of that of an operand
    alternatives={**_C.alternatives, "binary_expression": -1},
    literals=_C.literals - {"binary_expression"},
)

_CSHARP = ExpressionNodes(
    names=frozenset({"identifier", "this", "base"}),
    renamed={"base": "super"},
    members={
        "member_access_expression": ("expression", "name"),
        "conditional_access_expression": ("condition", ""),
        "qualified_name": ("qualifier", "name"),
    },
    calls={"invocation_expression": "function"},
    elements={"element_access_expression": "expression", "generic_name": ""},
    wrappers=frozenset(
        {
            "assignment_expression",
            "await_expression",
            "parenthesized_expression",
            "postfix_unary_expression",
        }
    ),
    alternatives={"binary_expression": -1, "conditional_expression": 0},
    operators=frozenset({"??"}),
    literals=frozenset(
        {
            "array_creation_expression",
            "binary_expression",
            "boolean_literal",
            "character_literal",
            "implicit_array_creation_expression",
            "integer_literal",
            "interpolated_string_expression",
            "null_literal",
            "raw_string_literal",
            "real_literal",
            "string_literal",
            "typeof_expression",
            "verbatim_string_literal",
        }
    ),
    types=frozenset({"array_type", "nullable_type", "predefined_type", "tuple_type"}),
    type_names=frozenset({"identifier"}),
    qualified_types=frozenset({"qualified_name"}),
    literal_types=frozenset({"predefined_type"}),
    made={
        "as_expression": "right",
        "cast_expression": "type",
        "object_creation_expression": "type",
    },
    opaque=frozenset({"implicit_type", "ref_type"}),
)

_KOTLIN = ExpressionNodes(
    names=frozenset(
        {"simple_identifier", "super_expression", "this_expression", "type_identifier"}
    ),
    members={"navigation_expression": ("", "")},
    calls={"call_expression": ""},
    elements={"indexing_expression": ""},
    wrappers=frozenset({"parenthesized_expression", "postfix_expression"}),
    alternatives={"elvis_expression": -1},
    literals=frozenset(
        {
            "additive_expression",
            "boolean_literal",
            "character_literal",
            "collection_literal",
            "comparison_expression",
            "conjunction_expression",
            "disjunction_expression",
            "equality_expression",
            "integer_literal",
            "lambda_literal",
            "long_literal",
            "multiplicative_expression",
            "real_literal",
            "string_literal",
        }
    ),
    types=frozenset({"nullable_type", "user_type"}),
    type_names=frozenset({"type_identifier"}),
    qualified_types=frozenset(),
    made={"as_expression": ""},
    opaque=frozenset({"function_type"}),
    # a check with `is` is enough for the members of another type
    tops=frozenset({"Any"}),
)

_RUBY = ExpressionNodes(
    names=frozenset({"constant", "identifier", "self", "simple_symbol", "super"}),
    members={"scope_resolution": ("scope", "name")},
    calls={},
    method_calls={"call": ("receiver", "method")},
    elements={"element_reference": "object"},
    # the last node is what is assigned
    wrappers=frozenset({"assignment", "operator_assignment", "parenthesized_statements"}),
    alternatives={"binary": -1, "conditional": 0},
    operators=frozenset({"||", "&&", "or", "and"}),
    literals=frozenset(
        {
            "array",
            "binary",
            "false",
            "float",
            "hash",
            "integer",
            "nil",
            "range",
            "regex",
            "string",
            "string_array",
            "symbol_array",
            "true",
            "unary",
        }
    ),
    types=frozenset(),
    type_names=frozenset(),
    qualified_types=frozenset(),
    attributes=frozenset({"class_variable", "instance_variable"}),
    # what an example is about is what its group describes
    renamed={"describe": "described_class"},
    operators_named={"[": "[]", "]": "[]="},
    hooks=frozenset({"extended", "included", "inherited", "prepended"}),
)

# Functions of PHP that return their first argument, or what it holds.
_OF_ARRAYS = frozenset(
    {
        "array_filter",
        "array_merge",
        "array_pop",
        "array_reverse",
        "array_shift",
        "array_slice",
        "array_unique",
        "array_values",
        "current",
        "end",
        "iterator_to_array",
        "next",
        "reset",
    }
)

_PHP = ExpressionNodes(
    names=frozenset({"name", "relative_scope", "variable_name"}),
    renamed={"$this": "this", "parent": "super", "static": "self"},
    members={
        "class_constant_access_expression": ("", ""),
        "member_access_expression": ("object", "name"),
        "nullsafe_member_access_expression": ("object", "name"),
        "scoped_property_access_expression": ("scope", "name"),
    },
    calls={"function_call_expression": "function", "object_creation_expression": ""},
    method_calls={
        "member_call_expression": ("object", "name"),
        "nullsafe_member_call_expression": ("object", "name"),
        "scoped_call_expression": ("scope", "name"),
    },
    elements={"subscript_expression": ""},
    wrappers=frozenset(
        {
            "argument",
            "array_element_initializer",
            "assignment_expression",
            "augmented_assignment_expression",
            "clone_expression",
            "match_conditional_expression",
            "match_default_expression",
            "match_expression",
            "parenthesized_expression",
        }
    ),
    alternatives={"binary_expression": -1, "conditional_expression": 0, "match_block": -1},
    operators=frozenset({"??", "?:"}),
    literals=frozenset(
        {
            "binary_expression",
            "boolean",
            "cast_expression",
            "encapsed_string",
            "float",
            "integer",
            "null",
            "string",
            "unary_op_expression",
        }
    ),
    types=frozenset(
        {"intersection_type", "named_type", "optional_type", "primitive_type", "union_type"}
    ),
    type_names=frozenset({"name"}),
    qualified_types=frozenset({"qualified_name"}),
    literal_types=frozenset({"primitive_type"}),
    paths=frozenset({"qualified_name"}),
    keeping=_OF_ARRAYS | {f"\\{name}" for name in _OF_ARRAYS},
    lists=frozenset({"array_creation_expression"}),
    itself="class",
    documented=True,
    abstract=True,
    tops=frozenset({"mixed", "object"}),
)

# The nodes of each language of which the uses of definitions are extracted.
EXPRESSIONS: Mapping[str, ExpressionNodes] = {
    "python": _PYTHON,
    "javascript": _ECMASCRIPT,
    "typescript": _ECMASCRIPT,
    "tsx": _ECMASCRIPT,
    "go": _GO,
    "java": _JAVA,
    "rust": _RUST,
    "c": _C,
    "cpp": _CPP,
    "csharp": _CSHARP,
    "kotlin": _KOTLIN,
    "php": _PHP,
    "ruby": _RUBY,
}
