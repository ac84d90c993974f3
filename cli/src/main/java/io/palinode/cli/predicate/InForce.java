package io.palinode.cli.predicate;

import io.palinode.orchestrator.rest.predicate.PredicateView;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.form.Predicates;
import io.palinode.terminal.ApiClient;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The predicates of a cluster, by name. */
record InForce(Map<String, PredicateView> predicates) {
  static final String PATH = "/api/v1/predicates";

  static InForce of(ApiClient api) {
    return new InForce(
        List.of(api.get(PATH, PredicateView[].class)).stream()
            .collect(Collectors.toMap(PredicateView::name, Function.identity())));
  }

  /** The YAML in force; empty: there is none of this name. */
  String yaml(String name) {
    PredicateView view = predicates.get(name);
    return view == null ? "" : view.yaml();
  }

  /** 0: there is none of this name. */
  long version(String name) {
    PredicateView view = predicates.get(name);
    return view == null ? 0 : view.version();
  }

  boolean isSame(Predicate predicate) {
    return Objects.equals(yaml(predicate.name()), Predicates.toYaml(predicate));
  }
}
