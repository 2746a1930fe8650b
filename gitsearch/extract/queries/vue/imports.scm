; `<script src="./x.ts">`, `<style src="./x.css">`, `<img src="./x.png">`
(attribute
  (attribute_name) @_src
  (quoted_attribute_value (attribute_value) @specifier)
  (#eq? @_src "src")
  (#match? @specifier "^[.@~]")) @import.url
