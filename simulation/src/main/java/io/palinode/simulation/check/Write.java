package io.palinode.simulation.check;

import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A write of a key that a term is about, as a node committed it.
 *
 * @param holds the value with which the term holds; null: only lost updates do
 */
public record Write(Watch watch, Subject subject, @Nullable String holds, WriteEvent event) {
  /** The term of an instance that a key is about. */
  public record Subject(String instance, int term) {}

  String key() {
    return new String(event.key().key(), StandardCharsets.UTF_8);
  }

  /** The version that was written, if it makes the term true; else null. */
  @Nullable String begun() {
    Version written = event.written();
    return written != null && makesTrue(written) ? name(written) : null;
  }

  private boolean makesTrue(Version written) {
    return holds == null
        ? event.unseen() != null
        : Arrays.equals(written.value(), holds.getBytes(StandardCharsets.UTF_8));
  }

  boolean leaves(String version) {
    return event.siblings().stream().anyMatch(sibling -> name(sibling).equals(version));
  }

  private String name(Version version) {
    return versionOf(key(), version.clock(), version.timestampMs());
  }

  /** A version, whichever nodes have it: {@code key@clock.time}, the clock in hexadecimal. */
  public static String versionOf(String key, byte[] clock, long timestampMs) {
    return key + "@" + HexFormat.of().formatHex(clock) + "." + timestampMs;
  }
}
