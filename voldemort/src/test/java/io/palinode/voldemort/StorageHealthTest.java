package io.palinode.voldemort;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.store.engine.StorageException;
import io.palinode.store.engine.StorageHealth;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class StorageHealthTest {
  private final StorageException full =
      new StorageException("no space is left", new IllegalStateException("full"));

  private final StorageHealth health = new StorageHealth(0, OptionalLong::empty);

  /** A failure and its end were logged again and again. */
  @Test
  void whatTakesAPromiseBetweenWritesThatItRefusesDoesNotWork() {
    health.requestFailed(full);
    health.promiseMade();
    assertThat(health.works()).isFalse();
    health.requestDone();
    assertThat(health.works()).isTrue();
  }

  @Test
  void whatRefusesAPromiseBetweenWritesThatItTakesDoesNotWork() {
    health.promiseFailed(full, 1_000);
    health.requestDone();
    assertThat(health.works()).isFalse();
    health.promiseMade();
    assertThat(health.works()).isTrue();
  }

  @Test
  void aPromiseIsTriedAgainAfterAWhileOrWhenOneWasMade() {
    assertThat(health.mayPromise(1_000)).isTrue();
    health.promiseFailed(full, 1_000);
    assertThat(health.mayPromise(1_000 + StorageHealth.PROMISE_AGAIN_MICROS - 1)).isFalse();
    assertThat(health.mayPromise(1_000 + StorageHealth.PROMISE_AGAIN_MICROS)).isTrue();
    assertThat(health.mayPromise(999)).as("the clock was set back").isTrue();
    assertThat(health.mayPromise(1_001)).isFalse();
    health.promiseMade();
    assertThat(health.mayPromise(1_001)).isTrue();
  }

  @Test
  void itIsKnownSinceWhenThereHasBeenNoPromise() {
    assertThat(health.unpromisedMicros(5_000)).isZero();
    health.promiseFailed(full, 5_000);
    health.promiseFailed(full, 205_000);
    assertThat(health.unpromisedMicros(305_000)).isEqualTo(300_000);
    health.requestFailed(full);
    health.promiseMade();
    assertThat(health.unpromisedMicros(305_000)).as("judgement waits for no write").isZero();
  }
}
