package io.palinode.detection.explain;

import io.palinode.predicate.Clause;
import io.palinode.predicate.Comparison;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.Term;
import io.palinode.predicate.template.Binding;
import io.palinode.predicate.template.Condition;
import io.palinode.predicate.template.Template;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which keys a predicate watches, and how a write finds its instance. */
final class KeyTopics {
  private final Predicate predicate;
  private final List<Term> terms;
  private final @Nullable Binding example;

  KeyTopics(Predicate predicate) {
    this.predicate = predicate;
    this.terms = predicate.violation().stream().flatMap(c -> c.terms().stream()).toList();
    this.example = ExampleBinding.of(predicate);
  }

  Topic keys() {
    List<String> sentences = new ArrayList<>();
    List<String> whole = variables(true).stream().map(key -> Shown.key(key.prefix())).toList();
    List<Template> templates = variables(false);
    if (!whole.isEmpty()) {
      sentences.add(
          Shown.count(whole.size(), "key") + ", found by hash: " + Shown.some(whole) + ".");
    }
    if (!templates.isEmpty()) {
      List<String> shown = templates.stream().map(t -> Shown.key(t.toString())).toList();
      sentences.add(
          "All keys like "
              + Shown.some(shown)
              + (example == null
                  ? "."
                  : ", for example " + Shown.key(templates.get(0).fill(example)) + "."));
      sentences.add(prefixes(templates));
    }
    String write = exampleWrite();
    if (write != null) {
      sentences.add(write);
    }
    return new Topic("keys", sentences);
  }

  Topic instances() {
    Set<String> captures = predicate.captures();
    if (predicate.capturesOfTerms().isEmpty()) {
      return new Topic("instances", List.of("One: nothing is captured."));
    }
    List<String> sentences = new ArrayList<>();
    sentences.add(
        captures.isEmpty()
            ? "One."
            : "One for each binding of "
                + String.join(", ", captures)
                + " that occurs in writes; each is judged separately.");
    Set<String> byValue = new TreeSet<>();
    terms.forEach(term -> byValue.addAll(withoutKey(term)));
    byValue.retainAll(captures);
    sentences.add(
        byValue.isEmpty()
            ? "The key of a write determines its instance."
            : "Key and value of a write together determine its instance: "
                + String.join(", ", byValue)
                + (byValue.size() == 1 ? " is" : " are")
                + " bound by the value where the key does not have "
                + (byValue.size() == 1 ? "it." : "them."));
    Set<String> members = new TreeSet<>(predicate.capturesOfTerms());
    members.removeAll(captures);
    if (!members.isEmpty()) {
      sentences.add(
          "All bindings of %s are members of one instance. A member costs nothing while its term does not hold."
              .formatted(String.join(", ", members)));
    }
    if (!predicate.where().isEmpty()) {
      sentences.add(
          "Watched only where "
              + predicate.where().stream()
                  .map(Condition::toString)
                  .map(Shown::key)
                  .map(KeyTopics::unquoted)
                  .collect(Collectors.joining(" and "))
              + ".");
    }
    return new Topic("instances", sentences);
  }

  /** Each as it is written, and as it is in the example; null where there is none. */
  List<Template> variables() {
    return terms.stream().map(Term::variable).distinct().toList();
  }

  @Nullable String exampleOf(Template variable) {
    return example == null ? null : variable.fill(example);
  }

  private List<Template> variables(boolean whole) {
    return variables().stream().filter(v -> v.captures().isEmpty() == whole).toList();
  }

  private static String prefixes(List<Template> templates) {
    List<String> prefixes = templates.stream().map(Template::prefix).distinct().toList();
    return prefixes.contains("")
        ? "One begins with a capture, so every key that is written is matched against it."
        : "Only keys that begin with "
            + Shown.some(prefixes.stream().map(Shown::key).toList())
            + " are matched against "
            + (templates.size() == 1 ? "it" : "them")
            + "; other keys cost a hash and a walk down a trie.";
  }

  private @Nullable String exampleWrite() {
    if (example == null) {
      return null;
    }
    Term term = terms.get(0);
    if (term.isState()) {
      return "Each write of "
          + Shown.key(term.variable().fill(example))
          + ", a delete too, publishes what the node has then.";
    }
    if (term.isLostUpdate()) {
      return "Each put to "
          + Shown.key(term.variable().fill(example))
          + " is judged if its client states what it has seen (ClientConfig.withSeenKeys), on the node"
          + " that accepts it first. Other puts are not judged.";
    }
    if (term.isOfReads()) {
      return "Each read of "
          + Shown.key(term.variable().fill(example))
          + " is judged by its client (ClientConfig.withStaleReads), and one that returns an old"
          + " version takes a second request. Reads of other clients are not judged.";
    }
    Clause first = predicate.violation().get(0);
    Binding of = instanceOf(example);
    String distinct = first.distinct();
    String instance =
        (distinct == null ? "" : " for " + shown(first.member(example)))
            + (predicate.captures().isEmpty() ? "" : " in the instance " + shown(of));
    return "A write of "
        + written(term.comparison(), example)
        + " to "
        + Shown.key(term.variable().fill(example))
        + (term.comparison() instanceof Comparison.IsNumber
            ? " changes the sum of clause 0"
            : " makes term 0 of clause 0 true")
        + instance
        + ".";
  }

  private Binding instanceOf(Binding all) {
    Binding instance = all;
    for (String capture : all.values().keySet()) {
      instance = predicate.captures().contains(capture) ? instance : instance.without(capture);
    }
    return instance;
  }

  private static String shown(Binding binding) {
    return binding.values().entrySet().stream()
        .map(value -> value.getKey() + "=" + value.getValue())
        .collect(Collectors.joining(", "));
  }

  private static String written(Comparison comparison, Binding binding) {
    Comparison.Example example = comparison.example(binding);
    String text = example.text();
    if (text == null) {
      return example.words();
    }
    boolean isDecimal = comparison instanceof Comparison.Ordered;
    return example.words() + (isDecimal ? Shown.key(text) : Shown.quoted(text));
  }

  private static Set<String> withoutKey(Term term) {
    Set<String> captures = new TreeSet<>(term.captures());
    term.variable().captures().forEach(captures::remove);
    return captures;
  }

  private static String unquoted(String text) {
    return text.startsWith("\"") ? text.substring(1, text.length() - 1) : text;
  }
}
