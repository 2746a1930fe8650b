(identifier) @name
(attribute object: (_) @owner attribute: (identifier) @member)
(function_definition name: (identifier) @defined)
(class_definition name: (identifier) @defined)
(import_statement) @skipped
(import_from_statement) @skipped
(future_import_statement) @skipped

(type) @type
(class_definition superclasses: (argument_list [
  (identifier) @base
  (attribute attribute: (identifier) @base)
  (subscript value: [
    (identifier) @base
    (attribute attribute: (identifier) @base)
    (subscript value: [(identifier) @base (attribute attribute: (identifier) @base)])])]))
(class_definition superclasses: (argument_list (subscript subscript: (_) @type)))
(decorator (_) @decorator)

(assignment left: [(identifier) (attribute)] @variable right: (_) @value)
(named_expression name: (identifier) @variable value: (_) @value)
(with_item (as_pattern (_) @value alias: (as_pattern_target (identifier) @variable)))
(for_statement left: (identifier) @variable right: (_) @element)
(for_in_clause left: (identifier) @variable right: (_) @element)
(assignment left: [(identifier) (attribute)] @variable type: (type) @value)
(typed_parameter . (identifier) @variable type: (type) @value)
(typed_default_parameter name: (identifier) @variable type: (type) @value)
(function_definition return_type: (type) @returned)
(return_statement (_) @returned)
(yield . (_) @returned)
(import_statement name: (aliased_import name: (dotted_name) @module alias: (identifier) @variable))
(import_from_statement module_name: (_) @source name: (dotted_name (identifier) @imported))
(import_from_statement module_name: (_) @source name: (aliased_import
  name: (dotted_name (identifier) @original) alias: (identifier) @imported))
(assignment left: (identifier) @variable right: (call
  function: [(identifier) @_makes (attribute attribute: (identifier) @_makes)]
  arguments: (argument_list (keyword_argument name: (identifier) @_bound value: (_) @bounding)))
  (#eq? @_makes "TypeVar") (#eq? @_bound "bound"))
(_ type_parameters: (type_parameter (type (constrained_type
  . (type (identifier) @generic) (type (_) @constraint))))) @constrained
(parameters [(identifier) @parameter
  (typed_parameter . (identifier) @parameter)])
(call function: [(identifier) @called (attribute attribute: (identifier) @called)])
(call function: (identifier) @_read
  arguments: (argument_list
    . (_) @owner
    . (string . (string_start) . (string_content) @member @name . (string_end)))
  (#eq? @_read "getattr"))
(call function: (identifier) @_read
  arguments: (argument_list . (_) @selected_of . [
    (identifier) (attribute) (subscript) (string (interpolation)) (binary_operator) (call)
    (conditional_expression) (parenthesized_expression)] @selected)
  (#eq? @_read "getattr"))
(assignment left: (identifier) @composed_as right: [
  (string (interpolation))
  (binary_operator [(string) (binary_operator)])
  (call function: (attribute object: (string)))] @composed)
(dictionary (pair value: [
  (identifier) @entry
  (attribute attribute: (identifier) @entry)])) @entries
(call function: (attribute attribute: (identifier) @_marker)
  arguments: (argument_list (string (string_content) @fixture))
  (#eq? @_marker "usefixtures"))
(decorator (call arguments: (argument_list
  (keyword_argument name: (identifier) @_option value: (true) @automatic)))
  (#eq? @_option "autouse"))
