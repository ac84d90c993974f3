package io.palinode.hazelcast.advice;

import io.palinode.hazelcast.boot.Hooks;
import net.bytebuddy.asm.Advice;

/** {@code MapMigrationAwareService.beforeMigration}. */
public final class MigrationBegins {
  private MigrationBegins() {}

  @Advice.OnMethodEnter
  static void enter(
      @Advice.FieldValue("mapServiceContext") Object context, @Advice.Argument(0) Object event) {
    Hooks.migrationBegins(context, event);
  }
}
