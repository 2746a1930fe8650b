(identifier) @name
(type_identifier) @name @type
(field_expression field: (field_identifier) @name)
(field_expression value: (_) @owner field: (field_identifier) @member)
(scoped_identifier path: (_) @owner name: (identifier) @member)
(scoped_type_identifier path: (_) @owner name: (type_identifier) @member)
(call_expression function: [
  (identifier) @called
  (scoped_identifier name: (identifier) @called)
  (field_expression field: (field_identifier) @called)
  (generic_function function: [
    (identifier) @called
    (scoped_identifier name: (identifier) @called)
    (field_expression field: (field_identifier) @called)])])
(struct_expression name: [
  (type_identifier) @called
  (scoped_type_identifier name: (type_identifier) @called)
  (generic_type type: (type_identifier) @called)])
; What is called without its name.
((binary_expression left: (_) @owner operator: _ @operator @member)
  (#not-match? @operator "^(&&|[|][|])$"))
(compound_assignment_expr left: (_) @owner operator: _ @operator @member)
(index_expression . (_) @owner "[" @operator @member)
(unary_expression "!" @operator @member (_) @owner)
(macro_invocation macro: [(identifier) @called (scoped_identifier name: (identifier) @called)])

; The arguments of a macro are not parsed.
(token_tree) @tokens

(use_declaration) @skipped
(extern_crate_declaration) @skipped
(attribute_item) @skipped
(inner_attribute_item) @skipped
(lifetime) @skipped
(token_binding_pattern) @skipped
(mod_item name: (identifier) @defined)
(struct_item name: (type_identifier) @defined)
(union_item name: (type_identifier) @defined)
(enum_item name: (type_identifier) @defined)
(trait_item name: (type_identifier) @defined)
(type_item name: (type_identifier) @defined)
(associated_type name: (type_identifier) @defined)
(type_parameter name: (type_identifier) @defined)
(function_item name: (identifier) @defined)
(function_signature_item name: (identifier) @defined)
(macro_definition name: (identifier) @defined)
(enum_variant name: (identifier) @defined)
(const_item name: (identifier) @defined)
(static_item name: (identifier) @defined)

(trait_item bounds: (trait_bounds [
  (type_identifier) @base
  (scoped_type_identifier) @base
  (generic_type type: (_) @base)]))
(impl_item trait: [
  (type_identifier) @implementing
  (scoped_type_identifier) @implementing
  (generic_type type: (_) @implementing)]) @implementation
(impl_item trait: [
  (type_identifier) @implementing
  (scoped_type_identifier) @implementing
  (generic_type type: (_) @implementing)] type: [
  (type_identifier) @implemented
  (scoped_type_identifier) @implemented
  (generic_type type: (_) @implemented)
  (reference_type type: (type_identifier) @implemented)
  (reference_type type: (scoped_type_identifier) @implemented)
  (reference_type type: (generic_type type: (_) @implemented))
  (dynamic_type trait: (_) @implemented)]) @implementation
; What has a target has its members.
(impl_item
  trait: (_) @_deref
  type: [
    (type_identifier) @implemented
    (generic_type type: (_) @implemented)]
  body: (declaration_list (type_item name: (_) @_target type: [
    (type_identifier) @implementing
    (scoped_type_identifier) @implementing
    (generic_type type: (_) @implementing)]))
  (#match? @_deref "^(\\w+::)*Deref$")
  (#eq? @_target "Target"))
(impl_item !trait type: [
  (scoped_type_identifier) @implemented
  (generic_type type: (scoped_type_identifier) @implemented)]) @implementation

; The bounds of type parameters.
(_ type_parameters: (type_parameters (type_parameter name: (type_identifier) @generic
  bounds: (trait_bounds [
    (type_identifier) @constraint
    (scoped_type_identifier) @constraint
    (generic_type type: (_) @constraint)])))) @constrained
(_ (where_clause (where_predicate left: (type_identifier) @generic
  bounds: (trait_bounds [
    (type_identifier) @constraint
    (scoped_type_identifier) @constraint
    (generic_type type: (_) @constraint)])))) @constrained

(let_declaration pattern: (identifier) @bound)
(for_expression pattern: (identifier) @bound)
(parameter pattern: (identifier) @bound)
(closure_parameters (identifier) @bound)
(mut_pattern (identifier) @bound)
(ref_pattern (identifier) @bound)
(captured_pattern . (identifier) @bound)
(field_pattern name: (shorthand_field_identifier) @bound)
((tuple_pattern (identifier) @bound) (#match? @bound "^[a-z_]"))
((tuple_struct_pattern type: (_) (identifier) @bound) (#match? @bound "^[a-z_]"))
((match_pattern . (identifier) @bound) (#match? @bound "^[a-z_]"))
((field_pattern pattern: (identifier) @bound) (#match? @bound "^[a-z_]"))

(closure_expression) @inline

(parameter pattern: [(identifier) @variable (mut_pattern (identifier) @variable)] type: (_) @value)
(closure_parameters (parameter pattern: (identifier) @variable type: (_) @value))
(let_declaration pattern: (identifier) @variable type: (_) @value)
(let_declaration pattern: (identifier) @variable !type value: (_) @value)
(for_expression pattern: (identifier) @variable value: (_) @element)
(let_condition pattern: (tuple_struct_pattern type: (_) . (identifier) @variable .) value: (_) @element)
(let_declaration pattern: (tuple_struct_pattern type: (_) . (identifier) @variable .) value: (_) @element)
(field_declaration name: (field_identifier) @variable type: (_) @value)
(static_item name: (identifier) @variable type: (_) @value)
(const_item name: (identifier) @variable type: (_) @value)
(assignment_expression left: (identifier) @assigned)
(function_item return_type: (_) @returned)
(function_signature_item return_type: (_) @returned)
(type_item type: [(type_identifier) @base (scoped_type_identifier) @base (generic_type type: (_) @base)])
