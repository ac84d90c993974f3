package io.palinode.simulation;

import io.palinode.orchestrator.state.MachineState;
import io.palinode.simulation.world.Seams;
import io.palinode.store.affected.Access;
import io.palinode.store.affected.Trace;
import io.palinode.store.binding.ConcernedClients;
import io.palinode.store.binding.ConcernedClients.OfSome;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.binding.SequentialKeys;
import io.palinode.store.binding.StoreBinding;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Resume;
import io.palinode.wire.v1.Scope;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Bugs of rollbacks that undo only some writes. The checks must find each. */
enum PlantedScopeBug {
  /** Nodes note who wrote, and not who read. */
  FORGETS_WHO_READ {
    @Override
    Seams plant() {
      return StoreDecorator.seams(
          real ->
              new Whole(real) {
                @Override
                public Trace accesses(long hlc) {
                  Trace whole = super.accesses(hlc);
                  List<Access> writes =
                      whole.accesses().stream()
                          .filter(access -> access.kind() != Access.Kind.READ)
                          .toList();
                  return new Trace(whole.node(), whole.since(), writes);
                }
              });
    }
  },
  /** One node treats copies as its own first writes. */
  TAKES_COPIES_FOR_WRITES {
    @Override
    Seams plant() {
      return StoreDecorator.seams(
          real ->
              new Whole(real) {
                @Override
                public Trace accesses(long hlc) {
                  Trace whole = super.accesses(hlc);
                  List<Access> all =
                      whole.accesses().stream().map(PlantedScopeBug::asWrite).toList();
                  return new Trace(whole.node(), whole.since(), all);
                }
              });
    }
  },
  /** The first write that is to be undone stays. */
  UNDOES_ONE_TOO_FEW {
    @Override
    Seams plant() {
      return StoreDecorator.seams(
          real ->
              new Whole(real) {
                @Override
                public Restoration restore(
                    long epoch, int attempt, long target, Map<Long, Long> keys) {
                  Map<Long, Long> later = new HashMap<>(keys);
                  later.replaceAll((key, hlc) -> hlc + 1);
                  return super.restore(epoch, attempt, target, later);
                }
              });
    }
  },
  /** All writes after the target are undone, and no client is notified. */
  UNDOES_ALL_KEYS {
    @Override
    Seams plant() {
      return StoreDecorator.seams(
          real ->
              new Whole(real) {
                @Override
                public Restoration restore(
                    long epoch, int attempt, long target, Map<Long, Long> keys) {
                  return super.restore(epoch, attempt, target);
                }
              });
    }
  },
  /** A witness is not undone. */
  FORGETS_A_WITNESS {
    @Override
    Seams plant() {
      return appending(
          record -> {
            Restore restore = record.getRestore();
            Scope scope = restore.getAffected();
            return scope.getWitnessesCount() < 2
                ? record
                : record.toBuilder()
                    .setRestore(
                        restore.toBuilder().setAffected(scope.toBuilder().removeWitnesses(0)))
                    .build();
          });
    }
  },
  /** The new epoch concerns everybody. */
  NAMES_EVERYBODY {
    @Override
    Seams plant() {
      return appending(
          record ->
              record.hasResume()
                  ? record.toBuilder()
                      .setResume(record.getResume().toBuilder().clearConcerned())
                      .build()
                  : record);
    }
  },
  /** The new epoch affects no client. */
  NAMES_NOBODY {
    @Override
    Seams plant() {
      return appending(
          record -> {
            Resume resume = record.getResume();
            return resume.hasConcerned()
                ? record.toBuilder()
                    .setResume(
                        resume.toBuilder()
                            .setConcerned(resume.getConcerned().toBuilder().clearClients()))
                    .build()
                : record;
          });
    }
  },
  /** A node notifies clients that none of their writes was undone. */
  TELLS_NOBODY {
    @Override
    Seams plant() {
      return StoreDecorator.seams(
          real ->
              new Whole(real) {
                @Override
                public void resume(
                    long epoch, long target, long sequentialUntilMicros, MissedEpochs missed) {
                  super.resume(epoch, target, sequentialUntilMicros, forNoClient(missed));
                }
              });
    }
  };

  /** It also passes on the notices of clients. */
  private static class Whole extends StoreDecorator {
    private final StoreBinding real;

    Whole(StoreBinding real) {
      super(real);
      this.real = real;
    }

    @Override
    public void resume(long epoch, long target, long sequentialUntilMicros, MissedEpochs missed) {
      real.resume(epoch, target, sequentialUntilMicros, missed);
    }

    @Override
    public void sequential(List<SequentialKeys> keys) {
      real.sequential(keys);
    }
  }

  private static Access asWrite(Access access) {
    return access.kind() == Access.Kind.COPY
        ? new Access(Access.Kind.WRITE, access.hlc(), access.key(), access.write(), access.client())
        : access;
  }

  private static MissedEpochs forNoClient(MissedEpochs missed) {
    List<OfSome> none =
        missed.concerned().epochs().stream()
            .map(each -> new OfSome(each.epoch(), Map.of()))
            .toList();
    return new MissedEpochs(
        missed.restartEpoch(), missed.deepEpoch(), missed.deepTarget(), new ConcernedClients(none));
  }

  /** For one run. */
  abstract Seams plant();

  private static Seams appending(UnaryOperator<ControlRecord> change) {
    return new Seams() {
      @Override
      public List<ControlRecord> append(MachineState state, ControlRecord record) {
        return List.of(change.apply(record));
      }
    };
  }
}
