package io.palinode.voldemort.access;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What a client may do with the stores of a node. */
public enum Right {
  /** Present versions. */
  READ,
  /** Puts and deletes. */
  WRITE,
  /** Versions of earlier times, discarded writes, snapshots, differences. */
  PAST,
  /** Copies of versions that another node has accepted. Palinode's client writes such copies. */
  REPLICA,
  /** All of the above, for any client id. */
  NODE;

  /** The name in users files, such as {@code read}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Right of(String label) {
    return Arrays.stream(values())
        .filter(right -> right.label().equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "rights in the store are some of %s: '%s'".formatted(labels(), label)));
  }

  private static String labels() {
    return Arrays.stream(values()).map(Right::label).collect(Collectors.joining(", "));
  }
}
