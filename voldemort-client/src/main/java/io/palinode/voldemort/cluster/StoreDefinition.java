package io.palinode.voldemort.cluster;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A store as stores.xml defines it.
 *
 * @param otherElements the stock elements that do not concern us (serializers, owners, …), as XML,
 *     kept for stock peers
 */
public record StoreDefinition(
    String name,
    Persistence persistence,
    int replicationFactor,
    int requiredReads,
    int requiredWrites,
    int preferredReads,
    int preferredWrites,
    List<String> otherElements) {

  private static final String STRING_SERIALIZER = "<type>string</type>";
  private static final Set<String> OWN_ELEMENTS =
      Set.of(
          "name",
          "persistence",
          "routing",
          "routing-strategy",
          "replication-factor",
          "required-reads",
          "required-writes",
          "preferred-reads",
          "preferred-writes");

  public StoreDefinition {
    if (name.isBlank()) {
      throw new IllegalArgumentException("a store needs a name");
    }
    if (replicationFactor < 1) {
      throw new IllegalArgumentException(
          "replication-factor must be at least 1: " + replicationFactor);
    }
    requireCount("required-reads", requiredReads, 1, replicationFactor);
    requireCount("required-writes", requiredWrites, 1, replicationFactor);
    requireCount("preferred-reads", preferredReads, requiredReads, replicationFactor);
    requireCount("preferred-writes", preferredWrites, requiredWrites, replicationFactor);
    otherElements = List.copyOf(otherElements);
  }

  private static void requireCount(String element, int count, int min, int max) {
    if (count < min || count > max) {
      throw new IllegalArgumentException(
          element + " must be in [" + min + ", " + max + "]: " + count);
    }
  }

  /** A store of text keys and values. */
  public static StoreDefinition of(
      String name, Persistence persistence, int replicas, int reads, int writes) {
    return new StoreDefinition(
        name,
        persistence,
        replicas,
        reads,
        writes,
        reads,
        writes,
        List.of(
            "<key-serializer>" + STRING_SERIALIZER + "</key-serializer>",
            "<value-serializer>" + STRING_SERIALIZER + "</value-serializer>"));
  }

  /** Where a node keeps the store. */
  public enum Persistence {
    BDB,
    MEMORY;

    /** As stores.xml writes it. */
    String xmlName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Reads stores.xml, or the document of a single {@code <store>}. Views are passed over. Throws
   * {@link ClusterFormatException}, which names the line.
   *
   * @param file how errors call the document
   */
  public static List<StoreDefinition> parse(String file, String xml) {
    XmlElement root = XmlElement.parse(file, xml);
    if (root.name().equals("store")) {
      return List.of(store(root));
    }
    root.requireName("stores");
    List<StoreDefinition> stores = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (XmlElement element : root.children("store")) {
      StoreDefinition store = store(element);
      if (!names.add(store.name())) {
        throw element.error("stores must have different names: twice " + store.name());
      }
      stores.add(store);
    }
    return List.copyOf(stores);
  }

  private static StoreDefinition store(XmlElement store) {
    requireText(store, "routing", "client");
    requireText(store, "routing-strategy", "consistent-routing");
    int requiredReads = store.requiredInt("required-reads");
    int requiredWrites = store.requiredInt("required-writes");
    return store.build(
        () ->
            new StoreDefinition(
                store.required("name").text(),
                persistence(store.required("persistence")),
                store.requiredInt("replication-factor"),
                requiredReads,
                requiredWrites,
                store.intOr("preferred-reads", requiredReads),
                store.intOr("preferred-writes", requiredWrites),
                store.children().stream()
                    .filter(child -> !OWN_ELEMENTS.contains(child.name()))
                    .map(XmlElement::toXml)
                    .toList()));
  }

  /** Another routing would send keys to nodes that do not have them. */
  private static void requireText(XmlElement store, String name, String only) {
    XmlElement child = store.child(name);
    if (child != null && !child.text().equals(only)) {
      throw child.error("<" + name + "> must be " + only + ": " + child.text());
    }
  }

  private static Persistence persistence(XmlElement element) {
    for (Persistence persistence : Persistence.values()) {
      if (persistence.xmlName().equals(element.text())) {
        return persistence;
      }
    }
    throw element.error("<persistence> must be bdb or memory: " + element.text());
  }

  /** These stores as stores.xml. */
  public static String toXml(List<StoreDefinition> stores) {
    StringBuilder out = new StringBuilder("<stores>\n");
    stores.forEach(store -> store.writeTo(out));
    return out.append("</stores>\n").toString();
  }

  private void writeTo(StringBuilder out) {
    out.append("  <store>\n");
    write(out, "name", XmlElement.escape(name));
    write(out, "persistence", persistence.xmlName());
    write(out, "routing", "client");
    write(out, "routing-strategy", "consistent-routing");
    write(out, "replication-factor", String.valueOf(replicationFactor));
    write(out, "preferred-reads", String.valueOf(preferredReads));
    write(out, "required-reads", String.valueOf(requiredReads));
    write(out, "preferred-writes", String.valueOf(preferredWrites));
    write(out, "required-writes", String.valueOf(requiredWrites));
    otherElements.forEach(element -> out.append("    ").append(element).append('\n'));
    out.append("  </store>\n");
  }

  private static void write(StringBuilder out, String name, String text) {
    out.append("    <").append(name).append('>').append(text);
    out.append("</").append(name).append(">\n");
  }
}
