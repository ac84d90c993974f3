package io.palinode.orchestrator.alert;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where alerts of predicates may go. Immutable. A user who may apply a predicate must not make the
 * orchestrator post to services that only its own network reaches.
 *
 * @param hosts names, {@code *.domain}, or addresses; empty: every host with public addresses
 */
public record WebhookRules(List<String> hosts) {
  public static final WebhookRules PUBLIC = new WebhookRules(List.of());

  private static final String HOST = "(\\*\\.)?[A-Za-z0-9][A-Za-z0-9.-]*|\\[?[0-9a-fA-F:.]+\\]?";

  /** Throws {@link IllegalArgumentException} for what is no host. */
  public WebhookRules {
    for (String host : hosts) {
      if (!host.matches(HOST)) {
        throw new IllegalArgumentException(
            "a host is a name, *.domain or an address, without a port: '%s'".formatted(host));
      }
    }
    hosts = hosts.stream().map(WebhookRules::plain).toList();
  }

  /** Why no alert may go there; null: it may. Looks the host up; an unknown host is not refused. */
  @Nullable String refusal(URI url) {
    String host = plain(Objects.requireNonNullElse(url.getHost(), ""));
    if (hosts.stream().anyMatch(allowed -> matches(allowed, host))) {
      return null;
    }
    if (!hosts.isEmpty()) {
      return "webhooks may go to the hosts of --alert-allow only: host=" + host;
    }
    try {
      for (InetAddress address : InetAddress.getAllByName(host)) {
        if (!isPublic(address)) {
          return "webhooks to the private address of %s are refused: allow it with --alert-allow %s"
              .formatted(host, host);
        }
      }
      return null;
    } catch (UnknownHostException unknown) {
      return null;
    }
  }

  private static String plain(String host) {
    return host.replaceAll("^\\[|]$", "").toLowerCase(Locale.ROOT);
  }

  private static boolean matches(String allowed, String host) {
    return allowed.startsWith("*.") ? host.endsWith(allowed.substring(1)) : allowed.equals(host);
  }

  private static boolean isPublic(InetAddress address) {
    int[] bytes = unsigned(address.getAddress());
    boolean isSpecial =
        address instanceof Inet6Address
            // Only 2000::/3 is public; 2001::/32 and 2002::/16 hold IPv4 addresses.
            ? (bytes[0] & 0xe0) != 0x20
                || (bytes[0] == 0x20 && bytes[1] == 0x02)
                || (bytes[0] == 0x20 && bytes[1] == 0x01 && bytes[2] == 0 && bytes[3] == 0)
            : isSpecial(bytes);
    return !isSpecial
        && !address.isLoopbackAddress()
        && !address.isAnyLocalAddress()
        && !address.isLinkLocalAddress()
        && !address.isSiteLocalAddress()
        && !address.isMulticastAddress();
  }

  /** 0/8, 100.64/10 of providers, 192.0.0/24, 198.18/15 for benchmarks, 240/4. */
  private static boolean isSpecial(int[] ipv4) {
    return ipv4[0] == 0
        || (ipv4[0] == 100 && (ipv4[1] & 0xc0) == 64)
        || (ipv4[0] == 192 && ipv4[1] == 0 && ipv4[2] == 0)
        || (ipv4[0] == 198 && (ipv4[1] & 0xfe) == 18)
        || ipv4[0] >= 240;
  }

  private static int[] unsigned(byte[] bytes) {
    int[] values = new int[bytes.length];
    Arrays.setAll(values, i -> bytes[i] & 0xff);
    return values;
  }
}
