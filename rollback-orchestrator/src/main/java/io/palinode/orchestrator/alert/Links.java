package io.palinode.orchestrator.alert;

import io.palinode.orchestrator.Alert;
import io.palinode.orchestrator.history.ViolationAlert;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Links from alerts to the console and to the docs. Immutable.
 *
 * @param base the address of the console, without a slash at its end; may be empty: no links
 */
record Links(String base) {
  /** As rules of Prometheus name it. */
  static final String RUNBOOK = "runbook_url";

  private static final String LOOPBACK = "127.0.0.1";

  /** An API that listens on all addresses has no address that a browser could open. */
  private static final Set<String> ALL_ADDRESSES = Set.of("0.0.0.0", "[::]", "[0:0:0:0:0:0:0:0]");

  /**
   * With the address that operators gave, or else that of the API.
   *
   * @param external null: not given
   * @param api such as {@code http://host:port}; may be empty
   * @param machine the name of this machine, for an API that listens on all addresses
   */
  static Links of(@Nullable String external, String api, Supplier<String> machine) {
    if (external != null) {
      return new Links(external);
    }
    String host = api.isEmpty() ? null : URI.create(api).getHost();
    return new Links(
        host != null && ALL_ADDRESSES.contains(host)
            ? api.replace("//" + host + ":", "//" + machine.get() + ":")
            : api);
  }

  /** The machine's host name; the loopback address if the name has no address. May block. */
  static String machine() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return LOOPBACK;
    }
  }

  /** The address without a slash at its end; throws for one that links cannot begin with. */
  static String requireBase(String url) {
    URI parsed = URI.create(url);
    boolean isWeb = "http".equals(parsed.getScheme()) || "https".equals(parsed.getScheme());
    if (!isWeb
        || parsed.getHost() == null
        || parsed.getRawUserInfo() != null
        || parsed.getRawQuery() != null
        || parsed.getRawFragment() != null) {
      throw new IllegalArgumentException(
          "must be http(s)://HOST[:PORT][/PATH], without user, query and fragment: " + url);
    }
    return url.replaceAll("/+$", "");
  }

  /** The page of the alert's violation, or else the console; empty: no link. */
  String of(Alert alert) {
    String violation = alert.labels().getOrDefault(ViolationAlert.EPISODE, "");
    String page = violation.isEmpty() ? "/" : "/#/violations/" + violation;
    return base.isEmpty() ? base : base + page;
  }

  /** With the address of the alert's runbook, unless there is no address. */
  Alert withRunbook(Alert alert) {
    return base.isEmpty()
        ? alert
        : alert.annotated(RUNBOOK, base + "/docs/" + alert.kind().runbook());
  }
}
