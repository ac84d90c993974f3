package io.palinode.predicate.form;

import io.palinode.predicate.Clause;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.Comparison;
import io.palinode.predicate.Comparison.Kind;
import io.palinode.predicate.LocalPredicate;
import io.palinode.predicate.OnViolation;
import io.palinode.predicate.OnViolation.OnUnreachable;
import io.palinode.predicate.OnViolation.RollbackRules;
import io.palinode.predicate.OnViolation.RollbackTarget;
import io.palinode.predicate.OnViolation.WhenFrequent;
import io.palinode.predicate.Period;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.Term;
import io.palinode.predicate.template.Condition;
import io.palinode.predicate.template.Decimal;
import io.palinode.predicate.template.Template;
import io.palinode.predicate.text.Word;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Writes the canonical YAML: every field, in the order of the documentation, one line a term, text
 * in double quotes wherever another reader might take it for anything but text. Equal predicates
 * have equal text.
 */
final class YamlWriter {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z][A-Za-z0-9._/-]*");

  /** What readers of YAML 1.1 or 1.2 take for a truth value or null. */
  private static final Pattern TYPED =
      Pattern.compile("y|n|yes|no|on|off|true|false|null", Pattern.CASE_INSENSITIVE);

  private final StringBuilder out = new StringBuilder();

  private YamlWriter() {}

  static String write(Predicate predicate) {
    YamlWriter writer = new YamlWriter();
    writer.document(predicate);
    return writer.out.toString();
  }

  private void document(Predicate p) {
    line(0, "apiVersion: " + YamlReader.API_VERSION);
    line(0, "kind: " + YamlReader.KIND);
    line(0, "metadata:");
    line(2, "name: " + scalar(p.name()));
    map("labels", p.labels());
    line(0, "spec:");
    line(2, "type: " + Word.of(p.type()));
    if (p.epsilon() != null) {
      line(2, "epsilon: " + scalar(p.epsilon().toString()));
    }
    line(2, "uncertainty: " + Word.of(p.uncertainty()));
    line(2, "replicas: " + Word.of(p.replicas()));
    map("forEach", p.forEach());
    where(p.where());
    line(2, "violation:");
    p.violation().forEach(this::clause);
    onViolation(p.onViolation());
  }

  private void map(String field, Map<String, ?> entries) {
    if (!entries.isEmpty()) {
      line(2, field + ":");
      entries.forEach((name, text) -> line(4, scalar(name) + ": " + quoted(text.toString())));
    }
  }

  private void clause(Clause clause) {
    ClauseRule rule = clause.rule();
    if (rule instanceof ClauseRule.Sum sum) {
      line(4, "- sum:");
      line(8, sum.relation().word() + ": " + quoted(sum.limit().toString()));
      if (sum.members() != null) {
        line(8, "count: " + sum.members().count());
        line(8, "distinct: " + scalar(sum.members().distinct()));
      }
      line(8, "of:");
      for (int i = 0; i < clause.terms().size(); i++) {
        line(10, "- " + summand(clause.terms().get(i), sum.timesOf(i)));
      }
    } else if (rule instanceof ClauseRule.ReplicasDiverged diverged) {
      line(
          4,
          "- replicasDiverged: {%s, longerThan: %s}"
              .formatted(variable(clause.terms().get(0)), Period.format(diverged.longerThan())));
    } else if (rule instanceof ClauseRule.Within within) {
      line(4, "- within:");
      line(8, "time: " + Period.format(within.time()));
      line(8, "after: " + term(clause.terms().get(0)));
      line(8, "missing: " + term(clause.terms().get(1)));
    } else if (rule instanceof ClauseRule.AtLeast atLeast) {
      line(4, "- atLeast:");
      line(8, "count: " + atLeast.count());
      if (atLeast.distinct() != null) {
        line(8, "distinct: " + scalar(atLeast.distinct()));
      }
      line(8, "of:");
      parts(10, clause.of());
    } else {
      line(4, "- all:");
      parts(8, clause.of());
    }
    if (!clause.heldFor().isZero()) {
      line(6, YamlReader.FOR + ": " + Period.format(clause.heldFor()));
    }
  }

  private void parts(int indent, List<LocalPredicate> parts) {
    for (LocalPredicate part : parts) {
      if (part.isGroup()) {
        line(indent, "- on: " + ClauseForms.SAME_NODE);
        line(indent, "  all:");
        part.terms().forEach(term -> line(indent + 4, "- " + term(term)));
      } else {
        line(indent, "- " + term(part.terms().get(0)));
      }
    }
  }

  private static String term(Term term) {
    return "{" + variable(term) + ", " + comparison(term.comparison()) + "}";
  }

  private static String summand(Term term, Decimal times) {
    boolean once = times.equals(ClauseRule.Sum.ONCE);
    return term.store() == null && once
        ? quoted(term.variable().toString())
        : "{" + variable(term) + (once ? "" : ", times: " + quoted(times.toString())) + "}";
  }

  private static String variable(Term term) {
    String store = term.store() == null ? "" : "store: " + quoted(term.store()) + ", ";
    return store + "var: " + quoted(term.variable().toString());
  }

  private static String comparison(Comparison comparison) {
    List<String> operands = comparison.operands().stream().map(YamlWriter::quoted).toList();
    String value = String.join(", ", operands);
    return switch (Kind.of(comparison.word()).operand()) {
      case TEMPLATES -> comparison.word() + ": [" + value + "]";
      case TRUE -> comparison.word() + ": true";
      case TEMPLATE, DECIMAL, TEXT -> comparison.word() + ": " + value;
    };
  }

  private void where(List<Condition> where) {
    if (!where.isEmpty()) {
      line(2, "where:");
      where.forEach(condition -> line(4, "- " + quoted(condition.toString())));
    }
  }

  private void onViolation(OnViolation action) {
    RollbackRules rollbacks = action.rollbacks();
    line(2, "onViolation:");
    RollbackTarget target = action.rollbackTo();
    line(
        4,
        "rollback: "
            + (target == null
                ? "none"
                : "{scope: " + Word.of(rollbacks.scope()) + ", to: " + Word.of(target) + "}"));
    line(4, "rollbackOn: " + Word.of(action.rollbackOn()));
    line(4, "alertOn: " + Word.of(action.alertOn()));
    line(4, "alert: " + flowList(action.alerts()));
    WhenFrequent frequent = rollbacks.whenFrequent();
    if (frequent != null) {
      String per = Period.format(frequent.per());
      String guards =
          frequent.guards().isEmpty() ? "" : ", guards: " + templates(frequent.guards());
      line(
          4,
          "whenFrequent: {over: %d, per: %s, then: sequential%s}"
              .formatted(frequent.over(), per, guards));
    }
    if (rollbacks.onUnreachable() != OnUnreachable.HALT) {
      line(4, "onUnreachable: " + Word.of(rollbacks.onUnreachable()));
    }
    OnViolation.Budget budget = rollbacks.budget();
    if (budget != null) {
      String per = Period.format(budget.per());
      line(4, "budget: {atMost: %d, per: %s}".formatted(budget.atMost(), per));
    }
    if (rollbacks.approval() == OnViolation.Approval.REQUIRED) {
      line(4, "approval: required");
    }
  }

  private static String templates(List<Template> templates) {
    return templates.stream()
        .map(template -> quoted(template.toString()))
        .collect(Collectors.joining(", ", "[", "]"));
  }

  private static String flowList(List<String> items) {
    return items.stream().map(YamlWriter::scalar).collect(Collectors.joining(", ", "[", "]"));
  }

  private void line(int indent, String text) {
    out.append(" ".repeat(indent)).append(text).append('\n');
  }

  private static String scalar(String text) {
    boolean plain = PLAIN.matcher(text).matches() && !TYPED.matcher(text).matches();
    return plain ? text : quoted(text);
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (isPrintable(c)) {
        quoted.append(c);
      } else {
        quoted.append(String.format("\\u%04x", (int) c));
      }
    }
    return quoted.append('"').toString();
  }

  /**
   * Whether YAML keeps the character as it is: not a control, a line end, nor a byte order mark.
   */
  private static boolean isPrintable(char c) {
    return (c >= ' ' && c < 0x7F) || (c >= 0xA0 && c != 0x2028 && c != 0x2029 && c != 0xFEFF);
  }
}
