package io.palinode.agent.weave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import net.bytebuddy.dynamic.ClassFileLocator;
import org.junit.jupiter.api.Test;

class WeaverTest {
  @Test
  void whatAServerLacksIsNamed() {
    ClassFileLocator standIns =
        ClassFileLocator.ForClassLoader.of(WeaverTest.class.getClassLoader());
    List<String> missing = Weaver.ofServer().missing(standIns);
    assertThat(missing)
        .contains("voldemort.server.storage.StorageService.startInner()")
        .noneMatch(method -> method.contains("BdbStorageEngine"));
  }

  @Test
  void withoutAServerTheVersionsThatAreKnownAreNamed() {
    assertThatThrownBy(() -> ServerVersion.require(WeaverTest.class.getClassLoader()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1.10.26");
  }
}
