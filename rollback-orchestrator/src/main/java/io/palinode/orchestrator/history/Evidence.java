package io.palinode.orchestrator.history;

import com.google.protobuf.ByteString;
import io.palinode.detection.CandidateId;
import io.palinode.detection.witness.PortableWitness;
import io.palinode.detection.witness.PortableWitness.Circumstance;
import io.palinode.detection.witness.PortableWitness.Finding;
import io.palinode.detection.witness.PortableWitness.HeldInterval;
import io.palinode.detection.witness.PortableWitness.HeldValue;
import io.palinode.detection.witness.PortableWitness.Role;
import io.palinode.detection.witness.PortableWitness.Rules;
import io.palinode.detection.witness.PortableWitness.Subject;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.violations.Grades;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.PredicateLimits;
import io.palinode.predicate.form.Predicates;
import io.palinode.predicate.text.PredicateException;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.VersionRole;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.Witness;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Converts a published violation to one that can be checked without a cluster. Pure. */
public final class Evidence {
  /** What a client had seen is no value of a term; a later release may have further roles. */
  private static final Set<VersionRole> NOT_SHOWN =
      Set.of(VersionRole.SEEN, VersionRole.UNRECOGNIZED);

  private Evidence() {}

  /**
   * Returns the portable witness.
   *
   * @param yaml the predicate's text in the violation's version; null: unknown
   * @throws RefusedException if the text or the record lacks what a check needs
   */
  public static PortableWitness of(Violation violation, @Nullable String yaml)
      throws RefusedException {
    if (yaml == null) {
      throw new RefusedException(
          "the text of predicate '%s' version %d is no longer known here"
              .formatted(violation.getPredicate(), violation.getPredicateVersion()));
    }
    try {
      return portable(violation, yaml);
    } catch (IllegalArgumentException | PredicateException e) {
      throw new RefusedException("cannot make a witness of the violation: " + e.getMessage());
    }
  }

  private static PortableWitness portable(Violation violation, String yaml) {
    if (violation.hasWholeBytes()) {
      throw new IllegalArgumentException(
          "it had %,d bytes, too many for a record, so it was published without whole values"
              .formatted(violation.getWholeBytes()));
    }
    Predicate predicate = Predicates.parse(yaml, violation.getPredicate(), PredicateLimits.CEILING);
    PortableWitness witness =
        PortableWitness.of(
            new Subject(
                violation.getPredicate(),
                violation.getPredicateVersion(),
                yaml,
                violation.getBinding(),
                violation.getClause()),
            new Rules(epsilon(violation, predicate), predicate.uncertainty(), predicate.replicas()),
            new Finding(
                violation.getId(),
                Grades.of(violation.getGrade()),
                violation.getFirst(),
                violation.getViolate()),
            new Circumstance(violation.getEpoch(), violation.getDetectedMicros()),
            violation.getWitnessesList().stream().map(Evidence::interval).toList());
    return witness.explained();
  }

  private static Epsilon epsilon(Violation violation, Predicate predicate) {
    if (!violation.getEpsilon().isEmpty()) {
      return Epsilon.parse(violation.getEpsilon());
    }
    Epsilon own = predicate.epsilon();
    if (own == null) {
      throw new IllegalArgumentException(
          "the record holds no epsilon, as an older release published it");
    }
    return own;
  }

  /**
   * An interval to show, which proves nothing: its values may be truncated. Throws {@link
   * IllegalArgumentException} for a bad clock.
   */
  public static HeldInterval shown(Witness witness) {
    List<HeldValue> values =
        witness.getValuesList().stream()
            .filter(version -> !NOT_SHOWN.contains(version.getRole()))
            .map(version -> value(version, shownText(version)))
            .toList();
    return interval(witness, values);
  }

  private static HeldInterval interval(Witness witness) {
    return interval(witness, values(witness));
  }

  private static HeldInterval interval(Witness witness, List<HeldValue> values) {
    return new HeldInterval(
        witness.getTerm(),
        new CandidateId(witness.getNode(), witness.getIncarnation(), witness.getSequence()),
        CandidateRecords.decode(witness.getStart()),
        witness.hasEnd() ? CandidateRecords.decode(witness.getEnd()) : null,
        witness.getWriter(),
        values,
        witness.getMember());
  }

  /** The complete values. A truncated value proves nothing, unless versions are the evidence. */
  private static List<HeldValue> values(Witness witness) {
    boolean isByVersions =
        witness.getValuesList().stream().anyMatch(v -> v.getRole() != VersionRole.HOLDS);
    List<HeldValue> whole =
        witness.getValuesList().stream()
            .filter(version -> isByVersions || !version.hasValueBytes())
            .map(version -> value(version, text(version.getValue())))
            .toList();
    if (whole.isEmpty() && witness.getValuesCount() > 0) {
      throw new IllegalArgumentException(
          "a value is too long for the record: %s has %,d bytes"
              .formatted(
                  text(witness.getValues(0).getKey()), witness.getValues(0).getValueBytes()));
    }
    return whole;
  }

  private static HeldValue value(VariableVersion version, String text) {
    return new HeldValue(
        version.getStore(),
        text(version.getKey()),
        text,
        HexFormat.of().formatHex(version.getClock().toByteArray()),
        role(version.getRole()));
  }

  /** Throws {@link IllegalArgumentException} for a role of a later release. */
  static Role role(VersionRole role) {
    return switch (role) {
      case HOLDS -> Role.HOLDS;
      case LOST -> Role.LOST;
      case SEEN -> Role.SEEN;
      case WRITTEN -> Role.WRITTEN;
      case READ -> Role.READ;
      case UNRECOGNIZED -> throw new IllegalArgumentException("a later release published it");
    };
  }

  /** The value as text, with its size if the record has only its beginning. */
  public static String shownText(VariableVersion version) {
    String text = text(version.getValue());
    return version.hasValueBytes()
        ? "%s… (%,d bytes)".formatted(text, version.getValueBytes())
        : text;
  }

  /** The bytes as text, or as {@code base64:…}, of which no term is true. */
  public static String text(ByteString bytes) {
    return bytes.isValidUtf8()
        ? bytes.toStringUtf8()
        : "base64:" + Base64.getEncoder().encodeToString(bytes.toByteArray());
  }

  /** The clock as text; empty if unreadable, so that the violation is still shown. */
  public static List<String> clock(ByteString bytes) {
    try {
      Hvc hvc = CandidateRecords.decode(bytes);
      List<String> entries = new ArrayList<>();
      for (int node = 0; node < hvc.nodes(); node++) {
        entries.add(Hlc.format(hvc.get(node)));
      }
      return entries;
    } catch (IllegalArgumentException unreadable) {
      return List.of();
    }
  }
}
