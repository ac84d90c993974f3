package io.palinode.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import net.bytebuddy.dynamic.ClassFileLocator;
import org.junit.jupiter.api.Test;

class MemberWeaverTest {
  @Test
  void hazelcastHasEachHookedMethod() {
    assertThat(MemberWeaver.missing(ClassFileLocator.ForClassLoader.ofSystemLoader())).isEmpty();
  }
}
