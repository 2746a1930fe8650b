(identifier) @name
(attribute object: (_) @owner attribute: (identifier) @member)
(function_definition name: (identifier) @defined)
(class_definition name: (identifier) @defined)
(import_statement) @skipped
(import_from_statement) @skipped
(future_import_statement) @skipped

(type) @type
(class_definition superclasses: (argument_list [(identifier) (attribute) (subscript)] @base))
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
(parameters [(identifier) @parameter
  (typed_parameter . (identifier) @parameter)])
(call function: [(identifier) @called (attribute attribute: (identifier) @called)])
(call function: (attribute attribute: (identifier) @_marker)
  arguments: (argument_list (string (string_content) @fixture))
  (#eq? @_marker "usefixtures"))
(decorator (call arguments: (argument_list
  (keyword_argument name: (identifier) @_option value: (true) @automatic)))
  (#eq? @_option "autouse"))
