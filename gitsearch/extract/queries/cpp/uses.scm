; include: c/uses

((namespace_identifier) @name (#match? @name "^[A-Z]"))
(qualified_identifier scope: (_) @owner name: [
  (identifier) @member
  (type_identifier) @member
  (template_function name: (identifier) @member)
  (template_type name: (type_identifier) @member)
  (qualified_identifier scope: (namespace_identifier) @member)])
(call_expression function: [
  (qualified_identifier name: [
    (identifier) @called
    (template_function name: (identifier) @called)
    (qualified_identifier name: [
      (identifier) @called
      (template_function name: (identifier) @called)
      (qualified_identifier name: (identifier) @called)])])
  (template_function name: (identifier) @called)
  (field_expression field: (template_method name: (field_identifier) @called))])
(field_expression argument: (_) @owner field: (template_method name: (field_identifier) @member))
(template_method name: (field_identifier) @name)
(field_initializer . (field_identifier) @name)
(new_expression type: [
  (type_identifier) @called
  (qualified_identifier name: (type_identifier) @called)
  (template_type name: (type_identifier) @called)])

(template_function arguments: (template_argument_list (type_descriptor type: [
  (type_identifier) @called
  (qualified_identifier name: (type_identifier) @called)])))

; A variable that holds a value, no pointer, makes one.
(declaration type: [
    (type_identifier) @called
    (qualified_identifier name: (type_identifier) @called)
    (template_type name: (type_identifier) @called)]
  declarator: [(identifier) (init_declarator declarator: (identifier))])
(field_declaration type: [
    (type_identifier) @called
    (qualified_identifier name: (type_identifier) @called)]
  declarator: (field_identifier))

; `Parser parser(input);` in a function makes a value, though it may be read as a declaration.
(compound_statement (declaration
  type: [
    (type_identifier) @called @typed
    (qualified_identifier name: (type_identifier) @called) @typed
    (template_type name: (type_identifier) @called) @typed
    (qualified_identifier) @typed]
  declarator: (function_declarator
    declarator: (identifier) @variable
    parameters: (parameter_list . (parameter_declaration
      type: [(type_identifier) (qualified_identifier)]
      !declarator)))))

; A container makes and destroys what it holds.
(declaration
  type: [
    (template_type arguments: (template_argument_list (type_descriptor type: [
      (type_identifier) @called
      (qualified_identifier name: (type_identifier) @called)] !declarator)))
    (qualified_identifier name: (template_type
      arguments: (template_argument_list (type_descriptor type: [
        (type_identifier) @called
        (qualified_identifier name: (type_identifier) @called)] !declarator))))]
  declarator: [(identifier) (init_declarator declarator: (identifier))])
(field_declaration
  type: [
    (template_type arguments: (template_argument_list (type_descriptor type: [
      (type_identifier) @called
      (qualified_identifier name: (type_identifier) @called)] !declarator)))
    (qualified_identifier name: (template_type
      arguments: (template_argument_list (type_descriptor type: [
        (type_identifier) @called
        (qualified_identifier name: (type_identifier) @called)] !declarator))))]
  declarator: (field_identifier))

(function_declarator
  declarator: (operator_name)
  parameters: (parameter_list (parameter_declaration type: (_) @operand)))

; A test makes its fixture: `TEST_F(Fixture, name) { }`, `TEST_CASE_METHOD(Fixture, "name") { }`.
(function_definition !type declarator: (function_declarator
  declarator: (identifier) @_test
  parameters: (parameter_list . (parameter_declaration type: (type_identifier) @called)))
  (#match? @_test "TEST"))

(function_declarator declarator: (qualified_identifier) @skipped)
(namespace_definition name: (_) @defined)
(namespace_alias_definition name: (_) @defined)
(using_declaration) @skipped
(class_specifier name: (type_identifier) @defined body: (_))
(alias_declaration name: (type_identifier) @defined)
(concept_definition name: (identifier) @defined)
(type_parameter_declaration (type_identifier) @defined)
(optional_type_parameter_declaration name: (type_identifier) @defined)
(destructor_name (identifier) @defined)

(base_class_clause [
  (type_identifier) @base
  (qualified_identifier) @base
  (template_type name: (type_identifier) @base)])
(alias_declaration type: (type_descriptor type: [
  (type_identifier) @base
  (qualified_identifier) @base
  (template_type name: (type_identifier) @base)]))

(lambda_expression) @inline
(parameter_declaration type: (_) @typed declarator: (reference_declarator (identifier) @variable))
(optional_parameter_declaration type: (_) @typed declarator: [
  (identifier) @variable
  (pointer_declarator declarator: (identifier) @variable)
  (reference_declarator (identifier) @variable)])
(declaration type: (_) @typed declarator: (init_declarator
  declarator: (reference_declarator (identifier) @variable)))
(field_declaration type: (_) @typed declarator: (reference_declarator (field_identifier) @variable))
(declaration type: (placeholder_type_specifier) declarator: (init_declarator
  declarator: [
    (identifier) @variable
    (pointer_declarator declarator: (identifier) @variable)
    (reference_declarator (identifier) @variable)]
  value: (_) @value))
(structured_binding_declarator (identifier) @bound)
(for_range_loop type: (placeholder_type_specifier) declarator: [
    (identifier) @variable
    (reference_declarator (identifier) @variable)
    (pointer_declarator declarator: (identifier) @variable)]
  right: (_) @element)
(for_range_loop type: (_) @typed declarator: [
    (identifier) @variable
    (reference_declarator (identifier) @variable)
    (pointer_declarator declarator: (identifier) @variable)])
(field_declaration type: (_) @giving declarator: [
  (function_declarator)
  (pointer_declarator declarator: (function_declarator))
  (reference_declarator (function_declarator))])
(declaration_list (compound_statement) @nameless)
