[(comment) (haddock)] @comment
(pragma) @attribute

(data_type name: (name) @name) @definition.type
(data_type name: (prefix_id) @name) @definition.type
(newtype name: (name) @name) @definition.type
(type_synomym name: (name) @name) @definition.type
(type_family name: (name) @name) @definition.type
(data_family name: (name) @name) @definition.type
(class name: (name) @name declarations: (_)? @body) @definition.class
(instance name: (name) @name) @container

; A record's constructor is its name alone, so that its fields belong to the type.
(data_constructor (record name: (constructor) @name @definition.constructor))
(data_constructor [(prefix name: (constructor) @name) (infix operator: (_) @name)]) @definition.constructor
(gadt_constructor name: (constructor) @name @definition.constructor type: (record))
(gadt_constructor name: (constructor) @name) @definition.constructor
(newtype_constructor name: (constructor) @name @definition.constructor)
(field name: (field_name (variable) @name)) @definition.field
(pattern_synonym (equation synonym: [(apply function: (constructor) @name) (constructor) @name])) @definition.constructor
(foreign_import (signature name: (variable) @name)) @definition.function

; A function is its signature and its equations: one match for each, which adds to the first.
(declarations (signature name: [(variable) @name (prefix_id (operator) @name)]) @definition.function @clause)
(declarations (signature names: (binding_list name: (variable) @name)) @definition.function @clause)
(declarations (function
  name: [(variable) @name (prefix_id (operator) @name)] match: (_) @body) @definition.function @clause)
(declarations (function (infix operator: [
  (operator) @name (infix_id (variable) @name)
]) match: (_) @body) @definition.function @clause)
(declarations (bind name: [(variable) @name (prefix_id (operator) @name)] match: (_) @body) @definition.function @clause)
(class_declarations (signature name: [
  (variable) @name (prefix_id (operator) @name)
]) @definition.method @clause)
(class_declarations (signature names: (binding_list name: (variable) @name)) @definition.method @clause)
(instance_declarations (function
  name: [(variable) @name (prefix_id (operator) @name)] match: (_) @body) @definition.method @clause)
(instance_declarations (function (infix operator: [
  (operator) @name (infix_id (variable) @name)
]) match: (_) @body) @definition.method @clause)
(instance_declarations (bind
  name: [(variable) @name (prefix_id (operator) @name)] match: (_) @body) @definition.method @clause)

(apply function: (variable) @reference.call)
(apply function: (constructor) @reference.call)
(qualified id: (variable) @reference.call)
(qualified id: (constructor) @reference.call)
((infix left_operand: (variable) @reference.call operator: (operator) @_operator)
  (#match? @_operator "^([.]|[$]!?|&|<[$*|]?>|<[$*]|[*$]>|>>=?|=<<|>=>|<=<|<&>)$"))
((infix operator: (operator) @_operator right_operand: (variable) @reference.call)
  (#match? @_operator "^([.]|[$]!?|&|<[$*|]?>|<[$*]|[*$]>|>>=?|=<<|>=>|<=<|<&>)$"))
(infix_id (variable) @reference.call)
(exp (variable) @reference.call)
(name) @reference.type
