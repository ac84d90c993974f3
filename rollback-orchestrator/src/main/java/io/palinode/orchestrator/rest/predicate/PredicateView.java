package io.palinode.orchestrator.rest.predicate;

import io.palinode.orchestrator.history.WatchedVersions;
import io.palinode.orchestrator.policy.AppliedPredicate;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of a predicate in force.
 *
 * @param nodeVersions by node: the version that it watches; other nodes are absent
 * @param jobVersion the version of the whole detection job; null: unknown
 * @param converged whether all of these are {@code version}
 * @param warnings why it may find nothing
 */
public record PredicateView(
    String name,
    long version,
    boolean converged,
    Map<Integer, Long> nodeVersions,
    @Nullable Long jobVersion,
    String yaml,
    List<String> warnings) {
  /** The path of a webhook is often its password. */
  private static final Pattern WEBHOOK =
      Pattern.compile(
          "((?:webhook|alertmanager|slack|cloudevents):https?://)(?:[^/@\\s\"']*@)?([^/?\\s\"',\\]]*)[^\\s\"',\\]]*");

  public PredicateView {
    warnings = List.copyOf(warnings);
  }

  /** Without the paths and passwords of its webhooks. */
  public PredicateView withoutSecrets() {
    return new PredicateView(
        name, version, converged, nodeVersions, jobVersion, withoutSecrets(yaml), warnings);
  }

  public static String withoutSecrets(String yaml) {
    return WEBHOOK.matcher(yaml).replaceAll("$1$2/hidden");
  }

  public static PredicateView of(AppliedPredicate p, WatchedVersions watched) {
    WatchedVersions.Versions versions = watched.of(p.name());
    return new PredicateView(
        p.name(),
        p.version(),
        watched.isConverged(p.name(), p.version()),
        versions.ofNodes(),
        versions.ofJob(),
        p.yaml(),
        p.warnings());
  }
}
