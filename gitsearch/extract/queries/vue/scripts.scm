(script_element (raw_text) @script)

; `lang="tsx"`
(script_element
  (start_tag
    (attribute
      (attribute_name) @_lang
      (quoted_attribute_value (attribute_value) @jsx)))
  (#eq? @_lang "lang")
  (#any-of? @jsx "jsx" "tsx"))
