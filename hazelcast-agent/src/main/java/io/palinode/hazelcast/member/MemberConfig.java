package io.palinode.hazelcast.member;

import io.palinode.store.hosted.HostedConfig;
import io.palinode.store.hosted.Settings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The agent's configuration, the same for all members except for {@code data}.
 *
 * @param members the addresses of all members; the index of an address is its node's number
 * @param maps whether a map of this name is watched
 */
public record MemberConfig(
    HostedConfig hosted, List<InetSocketAddress> members, Predicate<String> maps) {
  private static final List<String> KEYS =
      Stream.concat(HostedConfig.KEYS.stream(), Stream.of("members", "maps")).toList();

  /** Hazelcast's own maps, such as those of Jet and SQL. */
  private static final String INTERNAL = "__";

  private static final String ANY = "*";

  public MemberConfig {
    members = List.copyOf(members);
  }

  /**
   * Reads YAML. Throws {@link IllegalArgumentException} with the file, the key and the rule.
   *
   * @param file the name for errors
   */
  public static MemberConfig parse(String file, String yaml) {
    return Settings.read(
        file,
        yaml,
        KEYS,
        settings ->
            new MemberConfig(
                HostedConfig.of(settings),
                addresses(settings.required("members")),
                settings.value("maps", name -> !name.startsWith(INTERNAL), MemberConfig::maps)));
  }

  private static List<InetSocketAddress> addresses(String text) {
    List<InetSocketAddress> addresses = new ArrayList<>();
    for (String each : text.split(",", -1)) {
      InetSocketAddress address = address(each.strip());
      if (addresses.contains(address)) {
        throw new IllegalArgumentException("'members' must have each address once: " + each);
      }
      addresses.add(address);
    }
    return addresses;
  }

  private static InetSocketAddress address(String text) {
    int colon = text.lastIndexOf(':');
    try {
      return new InetSocketAddress(
          InetAddress.getByName(text.substring(0, Math.max(0, colon))),
          Integer.parseInt(text.substring(colon + 1)));
    } catch (UnknownHostException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "'members' must have known addresses such as 10.0.0.1:5701: '%s'".formatted(text), e);
    }
  }

  private static Predicate<String> maps(String text) {
    List<String> names = Stream.of(text.split(",", -1)).map(String::strip).toList();
    if (!names.stream().allMatch(name -> name.matches("[^*]+[*]?"))) {
      throw new IllegalArgumentException("it must be names, or beginnings of names such as 'a*'");
    }
    return map -> names.stream().anyMatch(name -> matches(name, map));
  }

  private static boolean matches(String name, String map) {
    return name.endsWith(ANY)
        ? map.startsWith(name.substring(0, name.length() - ANY.length()))
        : name.equals(map);
  }

  /**
   * The number of the member with this address. Throws {@link IllegalArgumentException} if it is
   * not listed.
   */
  public int nodeOf(InetSocketAddress address) {
    int node = members.indexOf(address);
    if (node < 0) {
      throw new IllegalArgumentException(
          "'members' must list this member: %s is not in %s".formatted(address, members));
    }
    return node;
  }
}
