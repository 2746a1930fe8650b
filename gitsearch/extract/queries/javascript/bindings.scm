; What JavaScript and TypeScript have in common of uses.scm.

(identifier) @name
(member_expression property: [(property_identifier) (private_property_identifier)] @name)
(member_expression
  object: (_) @owner
  property: [(property_identifier) (private_property_identifier)] @member)
(object (shorthand_property_identifier) @name)
(call_expression function: [
  (identifier) @called
  (member_expression property: (_) @called)])
(call_expression
  function: (member_expression
    object: [(identifier) @called (member_expression property: (_) @called)]
    property: (_) @_how)
  (#any-of? @_how "apply" "call"))
(call_expression function: (call_expression
  function: (identifier) @_require
  arguments: (arguments . (string))) @loaded
  (#eq? @_require "require"))
; a module that is a value where it is loaded; not one that has a name or is an argument, nor one of
; which a member is used
(call_expression
  function: (identifier) @_require
  arguments: (arguments . (string))
  (#eq? @_require "require")) @whole
(arrow_function body: (call_expression function: (import) arguments: (arguments . (string))) @whole)
([
  (variable_declarator value: (call_expression function: (identifier) @_require) @named)
  (member_expression object: (call_expression function: (identifier) @_require) @named)
  (call_expression function: (call_expression function: (identifier) @_require) @named)
  (expression_statement (call_expression function: (identifier) @_require) @named)
  (arguments (call_expression function: (identifier) @_require) @named)
] (#eq? @_require "require"))
(new_expression constructor: [
  (identifier) @called
  (member_expression property: (_) @called)])
(arguments (identifier) @passed)
(array (identifier) @passed)
(pair value: (identifier) @passed)
(assignment_expression left: (member_expression) right: (identifier) @passed)
; any member
(subscript_expression object: (identifier) @passed index: [
  (identifier) (member_expression) (template_string) (call_expression) (binary_expression)])
(object (shorthand_property_identifier) @passed)
; a table: one of its functions is called by a computed name
(call_expression function: (subscript_expression object: (identifier) @table index: (_)))
(variable_declarator value: (subscript_expression object: (identifier) @table index: (_)))
(return_statement (subscript_expression object: (identifier) @table index: (_)))
(arguments (subscript_expression object: (identifier) @table index: (_)))
(decorator (_) @decorator)

(function_declaration name: (identifier) @defined)
(generator_function_declaration name: (identifier) @defined)
(function_expression name: (identifier) @bound)
(class_declaration name: (_) @defined)
(class name: (_) @defined)
(import_statement) @skipped
(export_statement source: (_)) @skipped
(export_clause) @skipped
(export_statement value: (identifier) @label)

(variable_declarator name: (identifier) @bound)
(array_pattern (identifier) @bound)
(shorthand_property_identifier_pattern) @bound
(pair_pattern value: (identifier) @bound)
(rest_pattern (identifier) @bound)
(assignment_pattern left: (identifier) @bound)
(arrow_function parameter: (identifier) @bound)
(catch_clause parameter: (identifier) @bound)
(for_in_statement left: (identifier) @bound)

[(arrow_function) (function_expression) (generator_function)] @inline
(method_definition "get" name: (_) @getter)

(variable_declarator name: (identifier) @variable value: (_) @value)
(assignment_expression left: [(identifier) (member_expression)] @variable right: (_) @value)
(assignment_expression
  left: (member_expression) @variable
  right: [
    (class name: (_) @value)
    (function_expression name: (_) @value)
    (assignment_expression right: (function_expression name: (_) @value))])
(assignment_expression left: (identifier) @assigned)
(assignment_expression
  left: (member_expression property: (_) @alias)
  right: [
    (function_expression) @known
    (assignment_expression right: (function_expression) @known)])
(arguments (function_expression name: (identifier) @alias) @known)
; an object has the members of what is spread into it
(variable_declarator name: (identifier) @variable value: (object (spread_element (_) @value)))
(assignment_expression
  left: (member_expression) @variable
  right: (object (spread_element (_) @value)))
(export_statement "default" @exported value: (object (spread_element (_) @value)))
(variable_declarator
  name: (object_pattern [
    (shorthand_property_identifier_pattern) @variable
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @variable)
    (pair_pattern key: (property_identifier) @part value: (identifier) @variable)
    (pair_pattern
      key: (property_identifier) @part
      value: (assignment_pattern left: (identifier) @variable))])
  value: (_) @picked)
(variable_declarator
  name: (array_pattern (identifier) @variable)
  value: (_) @element)
(for_in_statement left: (identifier) @variable right: (_) @element)
(pair key: (property_identifier) @key value: [(identifier) (member_expression)
  (call_expression) (new_expression)] @value)
(return_statement (_) @returned)
(arrow_function body: (_) @returned)
(call_expression
  function: [(identifier) @_gives (member_expression property: (_) @_gives)]
  arguments: (arguments
    . [(identifier) (member_expression)] @mixed
    [(identifier) (member_expression) (call_expression)] @mixing)
  (#any-of? @_gives "assign" "extend" "inherits" "mixin" "setPrototypeOf"))

((export_statement "default" @exported value: (_) @value))
(export_statement "default" @exported declaration: (_ name: (_) @value))
(export_statement
  !source
  (export_clause (export_specifier name: (_) @value alias: _ @exported)))

; X.prototype[name] = function () {}, with the name from a list
(assignment_expression
  left: (subscript_expression
    object: [(identifier) (member_expression)] @computed
    index: [(identifier) (binary_expression)] @index)
  right: (_) @given)
(variable_declarator name: (identifier) @array_name value: (array . (string)) @array)
