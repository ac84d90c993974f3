package io.palinode.wire;

import java.util.List;

/** The names of Palinode's topics under a prefix. */
public record Topics(String prefix) {
  public static final Topics DEFAULT = new Topics("palinode");

  public Topics {
    if (!prefix.matches("[A-Za-z0-9._-]{1,100}")) {
      throw new IllegalArgumentException(
          "a topic prefix must be 1 to 100 of [A-Za-z0-9._-]: '" + prefix + "'");
    }
  }

  public List<String> all() {
    return List.of(candidates(), predicates(), violations(), control(), audit());
  }

  /** The consumer group that elects the active orchestrator. */
  public String election() {
    return prefix + "-orchestrator";
  }

  public String candidates() {
    return prefix + ".candidates.v1";
  }

  public String predicates() {
    return prefix + ".predicates.v1";
  }

  public String violations() {
    return prefix + ".violations.v1";
  }

  public String control() {
    return prefix + ".control.v1";
  }

  public String audit() {
    return prefix + ".audit.v1";
  }
}
