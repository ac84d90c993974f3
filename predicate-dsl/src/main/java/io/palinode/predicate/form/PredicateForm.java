package io.palinode.predicate.form;

import io.palinode.predicate.ClauseRule.Relation;
import io.palinode.predicate.Comparison.Kind;
import io.palinode.predicate.text.Place;
import io.palinode.predicate.text.Text;
import jakarta.xml.bind.annotation.XmlAnyAttribute;
import jakarta.xml.bind.annotation.XmlAttribute;
import jakarta.xml.bind.annotation.XmlElement;
import jakarta.xml.bind.annotation.XmlElements;
import jakarta.xml.bind.annotation.XmlRootElement;
import jakarta.xml.bind.annotation.XmlTransient;
import jakarta.xml.bind.annotation.XmlType;
import jakarta.xml.bind.annotation.XmlValue;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.xml.namespace.QName;
import org.jspecify.annotations.Nullable;

/**
 * A predicate as it is written, in either form: words with their places, nothing checked, no
 * default applied. JAXB maps it to XML; the YAML reader fills the same fields. {@link FormReader}
 * makes the predicate of it.
 */
@XmlRootElement(name = "predicate")
@XmlType(
    propOrder = {
      "nameElement",
      "labels",
      "type",
      "epsilon",
      "uncertainty",
      "replicas",
      "forEach",
      "where",
      "conjClauses",
      "violation",
      "onViolation"
    })
final class PredicateForm extends Placed {
  static final String NAMESPACE = "https://palinode.io/v1";

  @XmlAttribute @Nullable Text name;

  /** The paper has no attributes. */
  @XmlElement(name = "name")
  @Nullable Text nameElement;

  @XmlElement(name = "label")
  List<Entry> labels = new ArrayList<>();

  @Nullable Text type;
  @Nullable Text epsilon;
  @Nullable Text uncertainty;
  @Nullable Text replicas;
  List<Entry> forEach = new ArrayList<>();
  List<Text> where = new ArrayList<>();

  /** The paper's clauses; a predicate has these or a {@link #violation}. */
  @XmlElement(name = "conjClause")
  List<ConjClause> conjClauses = new ArrayList<>();

  @Nullable Violation violation;
  @Nullable Action onViolation;

  /** A named text: a label, or a template of {@code forEach}. */
  static final class Entry extends Placed {
    @XmlAttribute @Nullable Text name;
    @XmlValue @Nullable Text value;
  }

  static final class ConjClause extends Placed {
    @Nullable Text id;

    @XmlElement(name = "var")
    List<Var> vars = new ArrayList<>();
  }

  static final class Var extends Placed {
    @Nullable Text name;
    @Nullable Text value;
  }

  static final class Violation extends Placed {
    @XmlElements({
      @XmlElement(name = "all", type = All.class),
      @XmlElement(name = "any", type = AnyOf.class),
      @XmlElement(name = "atLeast", type = AtLeast.class),
      @XmlElement(name = "sum", type = Sum.class),
      @XmlElement(name = "within", type = Within.class),
      @XmlElement(name = "replicasDiverged", type = ReplicasDiverged.class)
    })
    List<Item> items = new ArrayList<>();
  }

  /** A clause, or several. */
  @XmlTransient
  abstract static class Item extends Placed {
    /** For how long it must hold. */
    @XmlAttribute(name = "for")
    @Nullable Text heldFor;

    /** Those of all parts, in their order. */
    abstract List<? extends Placed> variables();
  }

  /** Terms and groups together. */
  @XmlTransient
  abstract static class Parts extends Item {
    @XmlElements({
      @XmlElement(name = "term", type = TermForm.class),
      @XmlElement(name = "group", type = Group.class)
    })
    List<Part> parts = new ArrayList<>();

    @Override
    List<TermForm> variables() {
      return parts.stream().flatMap(part -> part.terms().stream()).toList();
    }
  }

  /** A clause. */
  static final class All extends Parts {}

  /** A clause for each of the parts. */
  static final class AnyOf extends Parts {}

  /** A clause of which {@code count} parts are enough, or bindings of {@code distinct}. */
  static final class AtLeast extends Parts {
    @XmlAttribute @Nullable Text count;
    @XmlAttribute @Nullable Text distinct;
  }

  /** A clause about a term that does not become true in time; it is the only one. */
  @XmlType(propOrder = {"after", "missing"})
  static final class Within extends Item {
    @XmlAttribute @Nullable Text time;
    @Nullable TermForm after;
    @Nullable TermForm missing;

    @Override
    List<TermForm> variables() {
      return Stream.of(after, missing).flatMap(Stream::ofNullable).toList();
    }
  }

  /** A clause about the replicas of a variable; it is the only one. */
  static final class ReplicasDiverged extends Item {
    @XmlAttribute @Nullable Text store;

    @XmlAttribute(name = "var")
    @Nullable Text variable;

    @XmlAttribute @Nullable Text longerThan;

    @Override
    List<ReplicasDiverged> variables() {
      return List.of(this);
    }
  }

  /** A clause about the sum of variables, or of members of one; it has one of the relations. */
  static final class Sum extends Item {
    @XmlAttribute @Nullable Text count;
    @XmlAttribute @Nullable Text distinct;
    @XmlTransient Map<Relation, Text> relations = new EnumMap<>(Relation.class);

    /** The same, as JAXB has them. */
    @XmlAnyAttribute private Map<QName, String> attributes = new LinkedHashMap<>();

    @XmlElement(name = "of")
    List<Summand> summands = new ArrayList<>();

    @Override
    List<Summand> variables() {
      return summands;
    }

    @Override
    void afterRead() {
      for (Relation relation : Relation.values()) {
        String limit = attributes.get(new QName(relation.word()));
        if (limit != null) {
          relations.put(relation, new Text(limit, place));
        }
      }
    }

    @Override
    void beforeWrite() {
      relations.forEach(
          (relation, limit) -> attributes.put(new QName(relation.word()), limit.value()));
    }
  }

  /** A variable of a sum. */
  static final class Summand extends Placed {
    @XmlAttribute @Nullable Text store;
    @XmlAttribute @Nullable Text times;
    @XmlValue @Nullable Text variable;
  }

  /** A term, or a group of them. */
  interface Part {
    Place place();

    List<TermForm> terms();
  }

  /** Terms that hold on one node. */
  static final class Group extends Placed implements Part {
    @XmlAttribute @Nullable Text on;

    @XmlElement(name = "term")
    List<TermForm> terms = new ArrayList<>();

    @Override
    public List<TermForm> terms() {
      return terms;
    }
  }

  /** A term has one of the comparisons. */
  static final class TermForm extends Placed implements Part {
    @XmlAttribute @Nullable Text store;

    @XmlAttribute(name = "var")
    @Nullable Text variable;

    /** One text each, unless the operand is a list. */
    @XmlTransient Map<Kind, List<Text>> comparisons = new EnumMap<>(Kind.class);

    /** The same, as JAXB has them. */
    @XmlAnyAttribute private Map<QName, String> attributes = new LinkedHashMap<>();

    private @Nullable List<Text> in;

    @Override
    void afterRead() {
      for (Kind kind : Kind.values()) {
        String operand = attributes.get(new QName(kind.word()));
        if (operand != null) {
          comparisons.put(kind, List.of(new Text(operand, place)));
        }
      }
      if (in != null) {
        comparisons.put(Kind.IN, in);
      }
    }

    @Override
    void beforeWrite() {
      for (Map.Entry<Kind, List<Text>> written : comparisons.entrySet()) {
        if (written.getKey() == Kind.IN) {
          in = written.getValue();
        } else {
          attributes.put(new QName(written.getKey().word()), written.getValue().get(0).value());
        }
      }
    }

    @Override
    public List<TermForm> terms() {
      return List.of(this);
    }
  }

  @XmlType(
      propOrder = {
        "rollback",
        "rollbackOn",
        "alertOn",
        "alerts",
        "whenFrequent",
        "onUnreachable",
        "budget",
        "approval"
      })
  static final class Action extends Placed {
    @Nullable Rollback rollback;
    @Nullable Text rollbackOn;
    @Nullable Text alertOn;

    /** Null: the default. One that says {@code none}, or an empty list: no alert. */
    @XmlElement(name = "alert")
    @Nullable List<Text> alerts;

    @Nullable WhenFrequentForm whenFrequent;
    @Nullable Text onUnreachable;
    @Nullable BudgetForm budget;
    @Nullable Text approval;
  }

  static final class Rollback extends Placed {
    @XmlAttribute @Nullable Text scope;
    @XmlAttribute @Nullable Text to;
  }

  static final class BudgetForm extends Placed {
    @XmlAttribute @Nullable Text atMost;
    @XmlAttribute @Nullable Text per;
  }

  static final class WhenFrequentForm extends Placed {
    @XmlAttribute @Nullable Text over;
    @XmlAttribute @Nullable Text per;
    @XmlAttribute @Nullable Text then;

    @XmlElement(name = "guard")
    @Nullable List<Text> guards;
  }
}
