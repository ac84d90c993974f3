package io.palinode.orchestrator.history;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.HvcCodec;
import io.palinode.orchestrator.Alert;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.VersionRole;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.Witness;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The alert of a violation with its episode and, for a person, what holds. */
public final class ViolationAlert {
  /** The label that names the episode: the id of its first report. */
  public static final String EPISODE = "violation";

  private static final int WITNESSES_MAX = 8;
  private static final int VALUES_MAX = 4;
  private static final int TEXT_MAX = 80;

  /** The roles of versions that have a value. */
  private static final Set<VersionRole> WITH_VALUE = Set.of(VersionRole.HOLDS, VersionRole.LOST);

  private ViolationAlert() {}

  /** The machine's alert about a violation, with more facts. */
  public static Alert of(Alert alert, ReceivedViolation received) {
    Alert labelled = alert.labelled(EPISODE, received.violation().getId());
    String description = description(received.latest());
    String meaning = Meaning.of(received.latest());
    Alert described =
        description.isEmpty() ? labelled : labelled.annotated("description", description);
    return meaning == null ? described : described.annotated("meaning", meaning);
  }

  /** Keys, values, clients and times, one sentence a witness. */
  private static String description(Violation violation) {
    Stream<String> witnesses =
        violation.getWitnessesList().stream().limit(WITNESSES_MAX).map(ViolationAlert::text);
    int more = violation.getWitnessesCount() - WITNESSES_MAX;
    return Stream.concat(
            witnesses, more > 0 ? Stream.of("%d more.".formatted(more)) : Stream.empty())
        .collect(Collectors.joining(" "));
  }

  // Formats took a quarter of the orchestrator's time, with hundreds of violations a second.
  private static String text(Witness witness) {
    String values =
        witness.getValuesList().stream()
            .filter(version -> WITH_VALUE.contains(version.getRole()))
            .limit(VALUES_MAX)
            .map(ViolationAlert::text)
            .collect(Collectors.joining(" and "));
    return "Node "
        + witness.getNode()
        + (witness.getStart().isEmpty() ? "" : " since " + since(witness))
        + ": "
        + (values.isEmpty() ? "term " + witness.getTerm() + " holds" : values)
        + (witness.getWriter().isEmpty() ? "" : byClient(witness))
        + ".";
  }

  private static String byClient(Witness witness) {
    Set<VersionRole> roles =
        witness.getValuesList().stream().map(VariableVersion::getRole).collect(Collectors.toSet());
    String before =
        roles.contains(VersionRole.WRITTEN)
            ? "written"
            : roles.contains(VersionRole.READ) ? "read" : null;
    return before == null
        ? ", written by client " + witness.getWriter()
        : ", read by client %s, which had %s a later version before"
            .formatted(witness.getWriter(), before);
  }

  private static String text(VariableVersion version) {
    if (version.getRole() == VersionRole.LOST) {
      return "it superseded '%s' unseen".formatted(cut(version.getValue()));
    }
    return "key "
        + cut(version.getKey())
        + " of store "
        + version.getStore()
        + " is '"
        + cut(version.getValue())
        + "'";
  }

  private static String cut(ByteString bytes) {
    String text = Evidence.text(bytes);
    return text.length() <= TEXT_MAX ? text : text.substring(0, TEXT_MAX) + "…";
  }

  private static String since(Witness witness) {
    long hlc = HvcCodec.decode(witness.getStart().toByteArray()).get(witness.getNode());
    return Instant.EPOCH.plus(Hlc.micros(hlc), ChronoUnit.MICROS).toString();
  }
}
