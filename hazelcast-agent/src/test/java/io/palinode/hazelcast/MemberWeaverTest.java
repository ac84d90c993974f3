package io.palinode.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.Node;
import net.bytebuddy.dynamic.ClassFileLocator;
import org.junit.jupiter.api.Test;

class MemberWeaverTest {
  @Test
  void hazelcastHasEachHookedMethod() {
    assertThat(MemberWeaver.missing(ClassFileLocator.ForClassLoader.ofSystemLoader())).isEmpty();
  }

  @Test
  void aClassThatWasLoadedBeforeTheAgentIsRefused() {
    Woven.require();
    MemberWeaver.requireUnloaded(String.class, HazelcastInstance.class);
    assertThatThrownBy(() -> MemberWeaver.requireUnloaded(String.class, Node.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "com.hazelcast.instance.impl.Node was loaded before this agent:"
                + " put its -javaagent before other agents");
  }
}
