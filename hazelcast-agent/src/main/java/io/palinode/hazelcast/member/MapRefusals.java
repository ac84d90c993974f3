package io.palinode.hazelcast.member;

import com.hazelcast.config.Config;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.config.MapConfig;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The maps that the node cannot watch. */
final class MapRefusals {
  private MapRefusals() {}

  /** Why a map with this configuration is not watched; null if it is. */
  static @Nullable String of(MapConfig map) {
    if (map.getMapStoreConfig().isEnabled()) {
      return "it has a map store";
    }
    if (map.getInMemoryFormat() == InMemoryFormat.NATIVE) {
      return "its in-memory-format is NATIVE";
    }
    if (map.getTieredStoreConfig().isEnabled()) {
      return "it has a tiered store";
    }
    if (map.getWanReplicationRef() != null) {
      return "it is replicated over WAN";
    }
    return map.getDataPersistenceConfig().isEnabled() ? "its data persistence is enabled" : null;
  }

  /** One sentence for each watched map of a configuration that cannot be watched. */
  static List<String> of(Config config, Predicate<String> watched) {
    return config.getMapConfigs().values().stream()
        .filter(map -> watched.test(map.getName()))
        .flatMap(
            map -> {
              String why = of(map);
              return why == null
                  ? Stream.empty()
                  : Stream.of("map '%s' cannot be watched: %s".formatted(map.getName(), why));
            })
        .toList();
  }
}
