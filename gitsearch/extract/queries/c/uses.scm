(identifier) @name
(type_identifier) @name
(type_identifier) @type
(field_expression field: (field_identifier) @name)
(field_expression argument: (_) @owner field: (field_identifier) @member)
(call_expression function: [
  (identifier) @called
  (field_expression field: (field_identifier) @called)
  (parenthesized_expression (identifier) @called)])
(compound_literal_expression type: (type_descriptor type: (type_identifier) @called))
(preproc_arg) @unparsed

(preproc_include) @skipped
(preproc_def name: (identifier) @defined)
(preproc_function_def name: (identifier) @defined)
(preproc_params) @skipped
(preproc_defined) @skipped
(preproc_ifdef name: (identifier) @defined)
(function_declarator declarator: (identifier) @defined)
(function_declarator declarator: (parenthesized_declarator (identifier) @defined))
(struct_specifier name: (type_identifier) @defined body: (_))
(union_specifier name: (type_identifier) @defined body: (_))
(enum_specifier name: (type_identifier) @defined body: (_))
(enumerator name: (identifier) @defined)
(labeled_statement label: (_) @label)
(goto_statement label: (_) @label)
(type_definition declarator: (type_identifier) @defined)

; A name for a type stands for it.
(type_definition type: [
    (struct_specifier name: (type_identifier) @base !body)
    (union_specifier name: (type_identifier) @base !body)
    (type_identifier) @base]
  declarator: (type_identifier))
(type_definition
  type: (struct_specifier name: (type_identifier) @implementing body: (_))
  declarator: (type_identifier) @implemented)

(parameter_declaration type: (_) @typed declarator: [
  (identifier) @variable
  (pointer_declarator declarator: (identifier) @variable)
  (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @variable))
  (array_declarator declarator: (identifier) @variable)])
(parameter_declaration declarator: (function_declarator
  declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @bound))))
(declaration type: (_) @typed declarator: [
  (identifier) @variable
  (pointer_declarator declarator: (identifier) @variable)
  (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @variable))
  (array_declarator declarator: (identifier) @variable)
  (init_declarator declarator: [
    (identifier) @variable
    (pointer_declarator declarator: (identifier) @variable)
    (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @variable))
    (array_declarator declarator: (identifier) @variable)])])
(declaration declarator: (init_declarator declarator: (function_declarator
  declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @bound)))))
(field_declaration type: (_) @typed declarator: [
  (field_identifier) @variable
  (pointer_declarator declarator: (field_identifier) @variable)
  (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @variable))
  (array_declarator declarator: (field_identifier) @variable)])
(assignment_expression left: (identifier) @assigned)

; Functions in fields: what calls through a field may run them.
(assignment_expression
  left: (field_expression argument: (_) @holder field: (field_identifier) @field)
  right: [
    (identifier) @stored
    (pointer_expression argument: (identifier) @stored)
    (cast_expression value: (identifier) @stored)])
(declaration type: (_) @holding declarator: (init_declarator
  declarator: (_) @declared value: (initializer_list) @filled))
(compound_literal_expression
  type: (type_descriptor type: (_) @holding) value: (initializer_list) @filled)
; Fields that an initializer may list elsewhere than where they stand, or as several values.
(field_declaration_list [(preproc_if) (preproc_ifdef)] @unplaced)
(field_declaration (storage_class_specifier)) @unplaced
(field_declaration type: [(struct_specifier !name) (union_specifier !name)] !declarator) @unplaced
(field_declaration declarator: [
  (array_declarator declarator: [(field_identifier) (array_declarator)])
  (pointer_declarator declarator: (array_declarator))
  (pointer_declarator declarator: (pointer_declarator declarator: (array_declarator)))
  (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (array_declarator))))]) @several
(field_declaration
  type: [(struct_specifier) (union_specifier)] declarator: (field_identifier)) @several
(function_definition type: (_) @giving)
(declaration type: (_) @giving declarator: [
  (function_declarator)
  (pointer_declarator declarator: (function_declarator))])
; `TEST_CASE("a test") { }`
(translation_unit (compound_statement) @nameless)
(preproc_if (compound_statement) @nameless)
(preproc_ifdef (compound_statement) @nameless)
(preproc_else (compound_statement) @nameless)
