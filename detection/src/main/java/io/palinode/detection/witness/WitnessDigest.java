package io.palinode.detection.witness;

import io.palinode.detection.Sha256;
import io.palinode.detection.witness.PortableWitness.HeldInterval;
import io.palinode.detection.witness.PortableWitness.HeldValue;
import io.palinode.detection.witness.PortableWitness.Role;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The digest of all that a witness says, however its file is laid out. It shows a change by
 * accident or by a careless hand, such as one clock entry that leaves every relation as it was. It
 * is no signature: there is no key.
 *
 * <pre>
 * "sha256:" + hexadecimal SHA-256 of, in UTF-8, for each field in the order written below:
 *   &lt;field&gt; "=" &lt;length of the value in UTF-16 units&gt; ":" &lt;value&gt; "\n"
 * Lists have their size first, an open end is a field "end" of "open". An empty member is no field,
 * nor is the role of a value that holds, nor a meaning that is absent.
 * </pre>
 */
final class WitnessDigest {
  private final StringBuilder text = new StringBuilder();

  private WitnessDigest() {}

  /** {@link PortableWitness#digest} is not read. */
  static String of(PortableWitness witness) {
    WitnessDigest digest = new WitnessDigest();
    digest.add("format", "palinode.io/v1 Witness");
    digest.addHead(witness);
    digest.add("intervals", witness.intervals().size());
    witness.intervals().forEach(digest::addInterval);
    byte[] bytes = digest.text.toString().getBytes(StandardCharsets.UTF_8);
    return "sha256:" + HexFormat.of().formatHex(Sha256.of(bytes));
  }

  private void addHead(PortableWitness witness) {
    add("predicate", witness.subject().predicate());
    add("version", witness.subject().version());
    add("yaml", witness.subject().yaml());
    add("binding", witness.subject().binding());
    add("clause", witness.subject().clause());
    add("epsilon", witness.rules().epsilon().toString());
    add("uncertainty", lowerCase(witness.rules().uncertainty()));
    add("replicas", lowerCase(witness.rules().replicas()));
    add("id", witness.finding().id());
    add("grade", lowerCase(witness.finding().grade()));
    add("first", Hlc.format(witness.finding().first()));
    add("violate", Hlc.format(witness.finding().violate()));
    String meaning = witness.finding().meaning();
    if (meaning != null) {
      add("meaning", meaning);
    }
    add("epoch", witness.circumstance().epoch());
    add("detectedMicros", witness.circumstance().detectedMicros());
  }

  private void addInterval(HeldInterval interval) {
    add("term", interval.term());
    add("node", interval.id().node());
    add("incarnation", interval.id().incarnation());
    add("sequence", interval.id().sequence());
    if (!interval.member().isEmpty()) {
      add("member", interval.member());
    }
    addClock("start", interval.start());
    addClock("end", interval.end());
    add("writer", interval.writer());
    add("values", interval.values().size());
    for (HeldValue value : interval.values()) {
      add("store", value.store());
      add("key", value.key());
      add("value", value.value());
      add("valueVersion", value.version());
      if (value.role() != Role.HOLDS) {
        add("role", lowerCase(value.role()));
      }
    }
  }

  private void addClock(String field, @Nullable Hvc clock) {
    if (clock == null) {
      add(field, "open");
      return;
    }
    add(field + "Node", clock.owner());
    add(field, clock.nodes());
    for (int node = 0; node < clock.nodes(); node++) {
      add("entry", Hlc.format(clock.get(node)));
    }
  }

  private void add(String field, long value) {
    add(field, Long.toString(value));
  }

  private void add(String field, String value) {
    text.append(field).append('=').append(value.length()).append(':').append(value).append('\n');
  }

  private static String lowerCase(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
