(template_declaration) @outer
(lambda_expression) @local

(namespace_definition
  name: [(namespace_identifier) (nested_namespace_specifier)] @name) @definition.namespace
(namespace_alias_definition name: (_) @name) @definition.namespace

; ---------------------------------------------------------------- classes

(class_specifier
  name: [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier scope: (_) @scope name: (type_identifier) @name)]
  body: (_)) @definition.class
(struct_specifier
  name: [
    (template_type name: (type_identifier) @name)
    (qualified_identifier scope: (_) @scope name: (type_identifier) @name)]
  body: (_)) @definition.struct
; A macro before a class (`class EXPORT Foo {`) or namespace makes it look like a function.
((function_definition
  type: [(class_specifier !body) (struct_specifier !body)]
  declarator: (identifier) @name) @definition.class
  (#not-eq? @name "final"))
((function_definition
  type: [(class_specifier !body) (struct_specifier !body)]
  (ERROR (identifier) @name)
  declarator: (identifier) @_final) @definition.class
  (#eq? @_final "final"))
((function_definition
  declarator: (identifier) @_namespace
  (ERROR (identifier) @name)) @definition.namespace
  (#eq? @_namespace "namespace"))
((function_definition
  (ERROR (identifier) @_namespace)
  declarator: (identifier) @name) @definition.namespace
  (#eq? @_namespace "namespace"))

(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.type

; ---------------------------------------------------------------- functions

; Without a type: a constructor, or a macro that starts one of the tests of googletest.
(field_declaration_list [
  (function_definition !type
    declarator: (function_declarator declarator: (identifier) @name)) @definition.constructor
  (declaration !type
    declarator: (function_declarator declarator: (identifier) @name)) @definition.constructor])
((function_definition
  declarator: (function_declarator declarator: (qualified_identifier
    scope: (_) @scope
    name: (identifier) @name))) @definition.constructor
  (#eq? @scope @name))
((function_definition
  declarator: (function_declarator
    declarator: (identifier) @_macro
    parameters: (parameter_list
      . (parameter_declaration type: (type_identifier) @scope)
      . (parameter_declaration type: (type_identifier) @name) .))) @definition.function
  (#any-of? @_macro "TEST" "TEST_F" "TEST_P" "TYPED_TEST" "TYPED_TEST_P"))

; A macro before what a function returns (`INLINE std::string App::run() {`) makes that a scope: of
; the true one it makes an error, and where there is none, `::` is missing.
(function_definition declarator: (function_declarator declarator: [
  (qualified_identifier (ERROR . (identifier) @scope .) name: [
    (identifier) @name
    (operator_name) @name
    (template_function name: (identifier) @name)])
  (qualified_identifier name: (qualified_identifier (ERROR . (identifier) @scope .) name: [
    (identifier) @name
    (operator_name) @name
    (template_function name: (identifier) @name)]))
  (qualified_identifier name: (qualified_identifier (MISSING "::") name: (identifier) @name))
])) @definition.function

(function_definition declarator: [
  (function_declarator declarator: [
    (field_identifier) @name
    (destructor_name) @name
    (operator_name) @name
    (template_function name: (identifier) @name)
    (qualified_identifier scope: (_) @scope name: [
      (identifier) @name
      (destructor_name) @name
      (operator_name) @name
      (template_function name: (identifier) @name)
      (qualified_identifier scope: (_) @scope name: (_) @name)])])
  (_ (function_declarator declarator: [
    (identifier) @name
    (field_identifier) @name
    (operator_name) @name
    (qualified_identifier scope: (_) @scope name: [
      (identifier) @name
      (operator_name) @name
      (template_function name: (identifier) @name)
      (qualified_identifier scope: (_) @scope name: (_) @name)])]))
  (_ (_ (function_declarator declarator: [
    (identifier) @name
    (field_identifier) @name
    (qualified_identifier scope: (_) @scope name: (identifier) @name)])))
]) @definition.function
(function_definition declarator: (operator_cast "operator" @name type: (_) @name)) @definition.method
(function_definition declarator: (qualified_identifier
  scope: (_) @scope
  name: (operator_cast "operator" @name type: (_) @name))) @definition.method

(field_declaration declarator: [
  (function_declarator declarator: [(field_identifier) (operator_name)] @name)
  (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name))
  (_ (_ (function_declarator declarator: (field_identifier) @name)))
]) @definition.method
(declaration declarator: [
  (function_declarator declarator: [(destructor_name) (operator_name)] @name)
  (_ (function_declarator declarator: [(identifier) (operator_name)] @name))
  (operator_cast "operator" @name type: (_) @name)
]) @definition.prototype

; Behind the name, a macro makes errors: `void f() LOCKS(x) {`, `int a GUARDED_BY(x);`.
(function_definition (ERROR (function_declarator declarator: [
  (identifier) @name
  (qualified_identifier scope: (_) @scope name: (identifier) @name)]))) @definition.function
(field_declaration (ERROR (function_declarator
  declarator: (field_identifier) @name))) @definition.method
((field_declaration
  (ERROR . (identifier) @name .)
  declarator: (function_declarator declarator: (field_identifier) @_macro)) @definition.field
  (#match? @_macro "^[A-Z][A-Z0-9_]+$"))
((declaration
  (ERROR . (identifier) @name .)
  declarator: [
    (function_declarator declarator: (identifier) @_macro)
    (init_declarator declarator: (function_declarator declarator: (identifier) @_macro))]
) @definition.variable
  (#match? @_macro "^[A-Z][A-Z0-9_]+$"))

; ---------------------------------------------------------------- members and variables

(field_declaration declarator: (reference_declarator (field_identifier) @name)) @definition.field
(declaration declarator: [
  (reference_declarator (identifier) @name)
  (init_declarator declarator: [
    (reference_declarator (identifier) @name)
    (qualified_identifier scope: (_) @scope name: (identifier) @name)])
  (qualified_identifier scope: (_) @scope name: (identifier) @name)
]) @definition.variable

; include: c/tags

; ---------------------------------------------------------------- uses

(call_expression function: [
  (qualified_identifier name: [
    (identifier) @reference.call
    (template_function name: (identifier) @reference.call)
    (qualified_identifier name: [
      (identifier) @reference.call
      (template_function name: (identifier) @reference.call)])])
  (template_function name: (identifier) @reference.call)
  (field_expression field: (template_method name: (field_identifier) @reference.call))])
