package io.palinode.agent.weave;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.agent.ByteBuddyAgent;
import org.junit.jupiter.api.Test;
import voldemort.store.bdb.BdbStorageEngine;

class WeavingTransformerTest {
  @Test
  void aClassThatCannotBeWovenStaysUnchangedAndIsReported() {
    List<String> notWoven = new ArrayList<>();
    WeavingTransformer transformer = new WeavingTransformer(Weaver.ofServer(), notWoven::add);
    byte[] damaged = {1, 2, 3};
    ClassLoader loader = WeavingTransformerTest.class.getClassLoader();
    String name = "voldemort/store/bdb/BdbStorageEngine";

    assertThat(transformer.transform(loader, name, null, null, damaged)).isNull();
    assertThat(transformer.transform(loader, "java/lang/String", null, null, damaged)).isNull();
    assertThat(notWoven).containsExactly("voldemort.store.bdb.BdbStorageEngine");
    assertThat(transformer.woven()).isEmpty();
  }

  @Test
  void aClassThatWasLoadedBeforeTheAgentIsReported() {
    List<String> notWoven = new ArrayList<>();
    WeavingTransformer transformer = new WeavingTransformer(Weaver.ofServer(), notWoven::add);
    String loaded = BdbStorageEngine.class.getName();
    Instrumentation instrumentation = ByteBuddyAgent.install();
    transformer.install(instrumentation);
    assertThat(instrumentation.removeTransformer(transformer)).isTrue();
    assertThat(notWoven).contains(loaded);
  }

  @Test
  void aClassOfALoaderWithoutTheAgentStaysUnchangedAndIsReported() throws Exception {
    List<String> notWoven = new ArrayList<>();
    WeavingTransformer transformer = new WeavingTransformer(Weaver.ofServer(), notWoven::add);
    ClassLoader seeing = WeavingTransformerTest.class.getClassLoader();
    String name = "voldemort/store/bdb/BdbStorageEngine";
    byte[] file;
    try (InputStream in = seeing.getResourceAsStream(name + ".class")) {
      file = in.readAllBytes();
    }
    URL[] classes = {
      WeavingTransformerTest.class.getProtectionDomain().getCodeSource().getLocation()
    };

    try (URLClassLoader apart = new URLClassLoader(classes, ClassLoader.getPlatformClassLoader())) {
      assertThat(transformer.transform(apart, name, null, null, file)).isNull();
    }
    assertThat(notWoven).containsExactly("voldemort.store.bdb.BdbStorageEngine");
    assertThat(transformer.transform(seeing, name, null, null, file)).isNotNull();
    assertThat(transformer.woven()).containsExactly("voldemort.store.bdb.BdbStorageEngine");
  }
}
