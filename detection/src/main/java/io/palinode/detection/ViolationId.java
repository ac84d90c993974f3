package io.palinode.detection;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/** Names a violation by its intervals, in whatever order they are found. */
public final class ViolationId {
  private static final int ID_BYTES = 16;

  private ViolationId() {}

  /**
   * The first 32 hexadecimal digits of the SHA-256 of {@code
   * <predicate>|<version>|<binding>|<clause>|<node>:<incarnation>:<sequence>,…}, predicate and
   * binding with their lengths before them and the intervals sorted. {@code binding} is the
   * canonical text, empty for none. It does not cover clocks: an end that becomes known later
   * leaves the name as it was.
   */
  public static String of(
      String predicate,
      long version,
      String binding,
      int clause,
      Collection<CandidateId> intervals) {
    String sorted =
        intervals.stream()
            .sorted(
                Comparator.comparingInt(CandidateId::node)
                    .thenComparingLong(CandidateId::incarnation)
                    .thenComparingLong(CandidateId::sequence))
            .map(id -> id.node() + ":" + id.incarnation() + ":" + id.sequence())
            .collect(Collectors.joining(","));
    String text =
        String.join(
            "|",
            List.of(
                sized(predicate),
                Long.toString(version),
                sized(binding),
                Integer.toString(clause),
                sorted));
    byte[] digest = Sha256.of(text.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(Arrays.copyOf(digest, ID_BYTES));
  }

  private static String sized(String text) {
    return text.length() + ":" + text;
  }
}
