; `//!` documents what it stands in, not what follows.
(line_comment !inner) @comment
(block_comment !inner) @comment
(attribute_item) @attribute

(closure_expression) @local

(impl_item type: [
  (type_identifier) @name
  (scoped_type_identifier name: (type_identifier) @name)
  (generic_type type: (type_identifier) @name)
  (generic_type type: (scoped_type_identifier name: (type_identifier) @name))
  (reference_type type: (type_identifier) @name)
  (reference_type type: (generic_type type: (type_identifier) @name))
  (dynamic_type trait: (type_identifier) @name)]) @container
(impl_item type: (_) @name) @container

(mod_item name: (identifier) @name) @definition.module
(struct_item
  name: (type_identifier) @name
  body: (ordered_field_declaration_list)
  ";" @body) @definition.struct
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name) @definition.enum
(trait_item name: (type_identifier) @name) @definition.trait
(type_item name: (type_identifier) @name) @definition.type
(associated_type name: (type_identifier) @name) @definition.type
(function_item name: (_) @name) @definition.function
(function_signature_item name: (_) @name) @definition.function
(macro_definition name: (identifier) @name (macro_rule) @body) @definition.macro

(enum_variant name: (identifier) @name) @definition.enumerator
(field_declaration name: (field_identifier) @name) @definition.field
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.variable

(call_expression function: [
  (identifier) @reference.call
  (scoped_identifier name: (identifier) @reference.call)
  (field_expression field: (field_identifier) @reference.call)
  (generic_function function: [
    (identifier) @reference.call
    (scoped_identifier name: (identifier) @reference.call)
    (field_expression field: (field_identifier) @reference.call)])])
(macro_invocation macro: [
  (identifier) @reference.call
  (scoped_identifier name: (identifier) @reference.call)])
; The arguments of a macro are not parsed: a name before a parenthesis is taken for a call.
(token_tree (identifier) @reference.call . (token_tree "("))

(type_identifier) @reference.type
(scoped_identifier path: [
  (identifier) @capital.type
  (scoped_identifier name: (identifier) @capital.type)])
