package io.palinode.store.binding;

import io.palinode.store.affected.Affected;
import io.palinode.store.affected.Extent;
import io.palinode.wire.v1.AffectedClient;
import io.palinode.wire.v1.Concerned;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The clients concerned by the latest epochs that undid only some writes. Immutable.
 *
 * @param epochs oldest first, each the next of the one before it
 */
public record ConcernedClients(List<OfSome> epochs) {
  public static final ConcernedClients NONE = new ConcernedClients(List.of());

  /** No write of the client, and none that it read, was undone. */
  public static final long ALL_STANDS = Long.MAX_VALUE;

  /** A client that missed more epochs gets the answer that all was undone. */
  public static final int EPOCHS_MAX = 16;

  /**
   * An epoch that undid only some writes.
   *
   * @param standsTo for each concerned client, the HLC up to which its writes stand
   */
  public record OfSome(long epoch, Map<String, Long> standsTo) {
    public OfSome {
      standsTo = Map.copyOf(standsTo);
    }
  }

  public ConcernedClients {
    epochs = List.copyOf(epochs);
  }

  /** Adds the next epoch, which undid some writes. */
  public ConcernedClients with(long epoch, Concerned concerned) {
    List<OfSome> longer =
        new ArrayList<>(epochs.subList(Math.max(0, epochs.size() + 1 - EPOCHS_MAX), epochs.size()));
    Map<String, Long> standsTo = new HashMap<>();
    concerned
        .getClientsList()
        .forEach(each -> standsTo.merge(each.getClient(), each.getStandsTo(), Math::min));
    longer.add(new OfSome(epoch, standsTo));
    return new ConcernedClients(longer);
  }

  /**
   * The HLC up to which a client's writes of epoch {@code from} and earlier stand in epoch {@code
   * to}, or {@link #ALL_STANDS}. Null if it is unknown or all writes after a time were undone.
   */
  public @Nullable Long standsTo(String client, long from, long to) {
    if (client.isEmpty() || from >= to || from < 0 || epochs.isEmpty()) {
      return null;
    }
    long first = epochs.get(0).epoch();
    long last = epochs.get(epochs.size() - 1).epoch();
    if (from + 1 < first || to != last) {
      return null;
    }
    long least = ALL_STANDS;
    for (OfSome each : epochs) {
      if (each.epoch() > from) {
        least = Math.min(least, each.standsTo().getOrDefault(client, ALL_STANDS));
      }
    }
    return least;
  }

  public static @Nullable Concerned toProto(@Nullable Extent extent) {
    if (!(extent instanceof Affected some)) {
      return null;
    }
    Concerned.Builder concerned = Concerned.newBuilder().setKeys(some.keys().size());
    some.clients().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            each ->
                concerned.addClients(
                    AffectedClient.newBuilder()
                        .setClient(each.getKey())
                        .setStandsTo(each.getValue())));
    return concerned.build();
  }
}
