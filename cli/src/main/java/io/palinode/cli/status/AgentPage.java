package io.palinode.cli.status;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * The status page of an agent, for a terminal.
 *
 * @param status as the agent of a stock Voldemort server or Hazelcast member answers
 */
public record AgentPage(JsonNode status) {
  /** Voldemort's classes through which writes go; the others are loaded with the first request. */
  private static final List<String> WOVEN_AT_START =
      List.of(
          "voldemort.store.bdb.BdbStorageEngine",
          "voldemort.store.StoreBinaryFormat",
          "voldemort.server.storage.StorageService");

  private boolean isHazelcast() {
    return status.has("hazelcast");
  }

  /** What is wrong, each with its way out. */
  public List<String> faults() {
    List<String> faults = new ArrayList<>(uncovered());
    if (status.hasNonNull("controlFailure")) {
      faults.add(
          "a control duty fails and is tried again each second; meanwhile all nodes are paused: %s. If the server's database has failed, free disk space and restart the server"
              .formatted(status.path("controlFailure").asText()));
    }
    return faults;
  }

  /** Why the server's writes are not covered; empty: they are. */
  private List<String> uncovered() {
    List<String> faults = new ArrayList<>();
    if (status.path("off").asBoolean()) {
      // The cause of all other faults.
      faults.add(
          "the agent has turned itself off (%s): this node is not watched, and a rollback cannot restore it; restart its server"
              .formatted(status.path("firstFailure").asText()));
      return faults;
    }
    if (!status.path("joined").asBoolean()) {
      faults.add(notJoined());
    } else if (!status.path("addedStores").isEmpty()) {
      faults.add(
          "stores were added while the server ran, and their writes are not observed: %s; restart each server of the cluster"
              .formatted(status.path("addedStores")));
    } else if (!status.path("unwatched").isEmpty()) {
      status
          .path("unwatched")
          .forEach(
              cause ->
                  faults.add(
                      "changes are not observed: %s; leave the map out of 'maps', or list the member"
                          .formatted(cause.asText())));
    } else if (!status.path("covered").asBoolean()) {
      faults.add("its detector has stopped; see the server's standard error");
    }
    if (!isHazelcast()) {
      for (String type : WOVEN_AT_START) {
        if (!contains(status.path("woven"), type)) {
          faults.add("not woven: " + type);
        }
      }
    }
    return faults;
  }

  private String notJoined() {
    return status.hasNonNull("notJoined")
        ? "it has not joined, and tries again every few seconds: "
            + status.path("notJoined").asText()
        : "it has not joined; see the server's standard error, and whether Kafka runs";
  }

  private static boolean contains(JsonNode texts, String wanted) {
    for (JsonNode text : texts) {
      if (text.asText().equals(wanted)) {
        return true;
      }
    }
    return false;
  }

  /** Its lines. */
  public String text() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "node        %s, incarnation %s, epoch %s%s"
            .formatted(
                status.path("node").asText("unknown"),
                status.path("incarnation").asText("unknown"),
                status.path("epoch").asText("unknown"),
                status.path("paused").asBoolean() ? ", paused" : ""));
    if (isHazelcast()) {
      lines.add("hazelcast   " + status.path("hazelcast").asText());
    } else {
      lines.add("voldemort   " + status.path("voldemort").asText());
      lines.add(
          "stores      watched %s, unwatched %s"
              .formatted(status.path("stores"), status.path("unwatchedStores")));
      lines.add(
          "writes      %s puts, %s deletes, of these %s by clients that send no clock"
              .formatted(
                  status.path("puts").asText(),
                  status.path("deletes").asText(),
                  status.path("stock_writes").asText()));
    }
    lines.add(
        "failures    %s %s"
            .formatted(status.path("failures").asText(), status.path("firstFailure").asText()));
    faults().forEach(fault -> lines.add("FAULT       " + fault));
    lines.add("coverage    " + (uncovered().isEmpty() ? "complete" : "NONE"));
    return String.join(System.lineSeparator(), lines);
  }
}
