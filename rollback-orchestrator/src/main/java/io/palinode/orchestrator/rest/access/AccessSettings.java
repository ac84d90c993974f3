package io.palinode.orchestrator.rest.access;

import io.palinode.tls.ServerFiles;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a server is protected. Immutable.
 *
 * @param tls null: clear text
 * @param users the file of the users; null: none
 * @param oidc the tokens of a provider that are users too; null: none. Without any users, every
 *     client may do everything
 * @param insecure whether it may listen beyond this machine without TLS or users
 */
public record AccessSettings(
    @Nullable ServerFiles tls,
    @Nullable Path users,
    @Nullable OidcSettings oidc,
    boolean insecure) {
  public static final AccessSettings NONE = new AccessSettings(null, null, null, false);

  /** Whether each request needs a user. */
  public boolean hasUsers() {
    return users != null || oidc != null;
  }

  /** What is missing to listen beyond this machine, in the words of the options. */
  public List<String> missing() {
    List<String> missing = new ArrayList<>();
    if (tls == null) {
      missing.add("TLS (--tls-certificate, --tls-key)");
    }
    if (!hasUsers()) {
      missing.add("users (--users)");
    }
    return missing;
  }

  /**
   * What other machines may do without proof, in one sentence; null: nothing.
   *
   * @param what is served, such as {@code the API}
   */
  public @Nullable String openTo(String what, String host) {
    return missing().isEmpty() || isLoopback(host)
        ? null
        : "%s on %s has no %s".formatted(what, host, String.join(" and no ", missing()));
  }

  /** Throws {@link IllegalArgumentException} if {@code host} needs what is missing. */
  public void requireFor(String host) {
    if (!insecure && !missing().isEmpty() && !isLoopback(host)) {
      throw new IllegalArgumentException(
          "a server on %s is reached from other machines and needs %s: name them, listen on"
                  .formatted(host, String.join(" and ", missing()))
              + " 127.0.0.1, or allow it with --insecure");
    }
  }

  /** Whether only this machine reaches a server on {@code host}. */
  public static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }
}
