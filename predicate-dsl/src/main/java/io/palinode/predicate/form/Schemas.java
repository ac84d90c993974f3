package io.palinode.predicate.form;

/** What editors need to help with predicates. */
public final class Schemas {
  private Schemas() {}

  /**
   * A JSON Schema (draft 2020-12) of one YAML document. It takes every valid predicate and refuses
   * unknown fields and words; what spans fields, such as captures, only the reader checks.
   */
  public static String json() {
    return JsonSchema.document();
  }

  /**
   * An XML Schema of the XML form in its namespace, with elements in the order of the
   * documentation; the reader takes any order, and no namespace too.
   */
  public static String xsd() {
    return XmlForms.schema();
  }
}
