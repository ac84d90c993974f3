package io.palinode.store.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.MapAssert;
import org.assertj.core.presentation.StandardRepresentation;

/** Keys and versions as failures show them: a key as text, a version as its clock and value. */
final class KitText extends StandardRepresentation {
  private static final KitText INSTANCE = new KitText();

  private KitText() {}

  static MapAssert<StoreKey, Set<Version>> assertState(Map<StoreKey, Set<Version>> state) {
    return Assertions.assertThat(state).withRepresentation(INSTANCE);
  }

  @Override
  protected String fallbackToStringOf(Object object) {
    if (object instanceof StoreKey key) {
      return new String(key.key(), UTF_8);
    }
    return object instanceof Version version
        ? hex(version.clock()) + "=" + hex(version.value())
        : super.fallbackToStringOf(object);
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
