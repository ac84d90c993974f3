package io.palinode.orchestrator.rest.access;

import io.javalin.security.RouteRole;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What a user may do. Each role covers the ones before it. */
public enum Role implements RouteRole {
  /** Probes and descriptions; needs no user. */
  ANYONE,
  /** Reads. */
  VIEWER,
  /** Applies and deletes predicates. */
  EDITOR,
  /** Rolls back, takes snapshots, acknowledges coverage gaps. */
  OPERATOR,
  /** Removes protection: deletes snapshots, ends the schedule, renews a spent budget. */
  ADMIN;

  public boolean covers(Role needed) {
    return compareTo(needed) >= 0;
  }

  /** The name in users files, such as {@code viewer}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The role of a user. Throws {@link IllegalArgumentException} with the known ones. */
  public static Role of(String label) {
    return Arrays.stream(values())
        .filter(role -> role != ANYONE && role.label().equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "a role is one of %s: '%s'".formatted(labels(), label)));
  }

  private static String labels() {
    return Arrays.stream(values())
        .filter(role -> role != ANYONE)
        .map(Role::label)
        .collect(Collectors.joining(", "));
  }
}
