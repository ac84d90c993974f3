package io.palinode.simulation;

import io.palinode.detector.binding.StoreKey;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.simulation.world.Seams;
import io.palinode.simulation.world.WatchedMutex;
import io.palinode.wire.plan.Phase;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Converge;
import io.palinode.wire.v1.CoverageStep;
import io.palinode.wire.v1.GapsAcknowledged;
import io.palinode.wire.v1.GateStep;
import io.palinode.wire.v1.LetStand;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Resume;
import io.palinode.wire.v1.SafePoint;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/** Bugs that a cluster could have. The checks must find each. */
enum PlantedBug {
  /** The epoch begins when the first node has converged. */
  RESUMES_BEFORE_ALL_HAVE_ANSWERED {
    @Override
    Seams plant() {
      Set<Long> resumed = new HashSet<>();
      return new Seams() {
        @Override
        public List<ControlRecord> appendBesides(MachineState state) {
          Plan plan = state.log().plan();
          boolean isEarly =
              plan != null
                  && plan.phase() == Phase.CONVERGING
                  && !plan.acked().isEmpty()
                  && plan.acked().size() < state.settings().nodes();
          return plan != null && isEarly && resumed.add(plan.epoch() * 100 + plan.attempt())
              ? List.of(resume(plan))
              : List.of();
        }
      };
    }
  },
  /** The write at the target's next moment stays. */
  RESTORES_ONE_TOO_FAR {
    @Override
    Seams plant() {
      return StoreDecorator.seams(
          real ->
              new StoreDecorator(real) {
                @Override
                public Restoration restore(long epoch, int attempt, long target) {
                  return super.restore(epoch, attempt, target + 1);
                }
              });
    }
  },
  /** A write is let through, waits for the lock, and is done after the fence has fallen. */
  CHECKS_THE_FENCE_BEFORE_THE_LOCK {
    @Override
    Seams plant() {
      return new Seams() {
        @Override
        public boolean fencesUnderLock() {
          return false;
        }
      };
    }
  },
  /** What was on its way at the target stays where it had come to. */
  DOES_NOT_CONVERGE {
    @Override
    Seams plant() {
      return StoreDecorator.seams(
          real ->
              new StoreDecorator(real) {
                @Override
                public int merge(List<KeyRecord> records) {
                  return 0;
                }
              });
    }
  },
  /** A node that starts takes a plan that is open for none. */
  FORGETS_THE_OPEN_PLAN {
    @Override
    Seams plant() {
      return new Seams() {
        @Override
        public List<ControlRecord> replay(List<ControlRecord> log) {
          long ended =
              log.stream()
                  .filter(ControlRecord::hasResume)
                  .mapToLong(ControlRecord::getEpoch)
                  .max()
                  .orElse(0);
          return log.stream().filter(record -> record.getEpoch() <= ended).toList();
        }
      };
    }
  },
  /** The second plan opens the epoch that the first one has opened. */
  RAISES_THE_EPOCH_ONCE {
    @Override
    Seams plant() {
      return StoreDecorator.seams(
          real ->
              new StoreDecorator(real) {
                @Override
                public long pause(long epoch) {
                  return super.pause(Math.min(epoch, 1));
                }

                @Override
                public void resume(long epoch, long target, long sequentialUntilMicros) {
                  super.resume(Math.min(epoch, 1), target, sequentialUntilMicros);
                }
              });
    }
  },
  /** Judgement goes out before the violations that it passes. */
  JUDGES_BEFORE_IT_REPORTS {
    @Override
    Seams plant() {
      return new Seams() {
        @Override
        public boolean judgesLast() {
          return false;
        }
      };
    }
  },
  /** A node that starts lets clients in at once. */
  SERVES_BEFORE_IT_HAS_CAUGHT_UP {
    @Override
    Seams plant() {
      return new Seams() {
        @Override
        public boolean servesWhenCaughtUp() {
          return false;
        }
      };
    }
  },
  /** The safe point passes the violation that a plan is opened for. */
  DOES_NOT_HOLD_THE_SAFE_POINT {
    @Override
    Seams plant() {
      return new Seams() {
        @Override
        public List<ControlRecord> append(MachineState state, ControlRecord record) {
          if (!record.hasPlanOpened()) {
            return List.of(record);
          }
          long hlc = Math.max(state.found().judged(), record.getPlanOpened().getTarget() + 1);
          return List.of(
              ControlRecord.newBuilder()
                  .setEpoch(record.getEpoch() - 1)
                  .setSafePoint(SafePoint.newBuilder().setHlc(hlc))
                  .build(),
              record);
        }
      };
    }
  },
  /** One node says that it went back, and did not. */
  ONE_NODE_DOES_NOT_RESTORE {
    @Override
    Seams plant() {
      return StoreDecorator.seams(
          real ->
              real.node() != 1
                  ? real
                  : new StoreDecorator(real) {
                    @Override
                    public Restoration restore(long epoch, int attempt, long target) {
                      return super.keep(epoch, attempt, target);
                    }
                  });
    }
  },
  /** Whatever replicas have, the digests that they compare are the same. */
  TAKES_REPLICAS_FOR_ALIKE {
    @Override
    Seams plant() {
      return StoreDecorator.seams(
          real ->
              new StoreDecorator(real) {
                @Override
                public Restoration restore(long epoch, int attempt, long target) {
                  Restoration done = super.restore(epoch, attempt, target);
                  Map<StoreKey, Replica> alike = new HashMap<>(done.replicas());
                  alike.replaceAll((key, here) -> new Replica(1, here.nodes()));
                  return new Restoration(done.undoneWrites(), done.changed(), alike);
                }
              });
    }
  },
  /** A rollback that an operator has to approve begins by itself. */
  DOES_NOT_ASK_FOR_APPROVAL {
    @Override
    Seams plant() {
      return opening(
          record -> record.getGate().hasAsked(), r -> r.getGate().getAsked().getTarget());
    }
  },
  /** A budget that is spent is no limit. */
  OVERSPENDS_THE_BUDGET {
    @Override
    Seams plant() {
      return opening(
          record -> record.getGate().hasLetStand(),
          record -> record.getGate().getLetStand().getFromHlc() - 1);
    }
  },
  /** A cut that is a violation is kept, though an earlier one can be restored. */
  KEEPS_A_VIOLATED_CUT(55) {
    @Override
    Seams plant() {
      return new Seams() {
        @Override
        public List<ControlRecord> append(MachineState state, ControlRecord record) {
          Plan plan = state.log().plan();
          long target = plan == null ? 0 : plan.target();
          boolean isStepBack =
              plan != null
                  && plan.phase() == Phase.CONVERGING
                  && record.hasRestore()
                  && !record.getRestore().hasFromSlice();
          return isStepBack
              ? List.of(
                  record.toBuilder()
                      .setEpoch(record.getEpoch() - 1)
                      .setGate(
                          GateStep.newBuilder()
                              .setLetStand(
                                  LetStand.newBuilder()
                                      .setPredicate(WatchedMutex.NAME)
                                      .setFromHlc(target)
                                      .setToHlc(target)
                                      .setHeld(true)))
                      .build())
              : List.of(record);
        }
      };
    }
  },
  /** A record that Kafka refuses is only published as a gap. */
  FORGETS_WHAT_KAFKA_REFUSED {
    @Override
    Seams plant() {
      return new Seams() {
        @Override
        public boolean hearsOfRefusals() {
          return false;
        }
      };
    }
  },
  /** Records after a refused closing are used before the closing is published late. */
  READS_ON_BEHIND_A_HOLE(50) {
    @Override
    Seams plant() {
      return new Seams() {
        @Override
        public boolean keepsBack() {
          return false;
        }
      };
    }
  },
  /** A node publishes progress before it publishes what the ring dropped. */
  SAYS_PROGRESS_BEFORE_ALL_IS_TOLD(1_390) {
    @Override
    Seams plant() {
      return new Seams() {
        @Override
        public boolean waitsForUnpublished() {
          return false;
        }
      };
    }
  },
  /** A coverage gap is published after the span was judged. */
  TELLS_LOSSES_AFTER_JUDGEMENT {
    @Override
    Seams plant() {
      return new Seams() {
        @Override
        public boolean tellsLossesFirst() {
          return false;
        }
      };
    }
  },
  /** What was violated before a predicate was applied, or by the state of a start, is not found. */
  LOOKS_FOR_NOTHING_THAT_HELD_BEFORE {
    @Override
    Seams plant() {
      return StoreDecorator.seams(
          real ->
              new StoreDecorator(real) {
                @Override
                public void scan(ScanVisitor visitor) {
                  // Sees nothing.
                }
              });
    }
  },
  /** Candidates of a predicate that is new to the job are dropped. */
  FORGETS_WHAT_IS_OF_NEW_PREDICATES(160) {
    @Override
    Seams plant() {
      return new Seams() {
        @Override
        public boolean waitsForPredicates() {
          return false;
        }
      };
    }
  },
  /** What was deleted by the target comes back from a replica that lagged. */
  FORGETS_WHAT_DELETES_COVER {
    @Override
    Seams plant() {
      return StoreDecorator.seams(
          real ->
              new StoreDecorator(real) {
                @Override
                public int merge(List<KeyRecord> records) {
                  return super.merge(
                      records.stream()
                          .map(each -> new KeyRecord(each.key(), each.siblings(), new byte[0]))
                          .toList());
                }
              });
    }
  },
  /** What is written after a delete is taken for what was there before, and had the same clock. */
  TAKES_VERSIONS_OF_ONE_CLOCK_FOR_ONE {
    @Override
    Seams plant() {
      return new Seams() {
        @Override
        public boolean tellsTimesOfVersions() {
          return false;
        }
      };
    }
  },
  /** R + W = N is taken for enough. */
  WAITS_FOR_ONE_REPLICA_TOO_FEW {
    @Override
    Seams plant() {
      return new Seams() {
        @Override
        public int sequentialWrites(int writes) {
          return writes - 1;
        }
      };
    }
  },
  /** A node that cannot carry out a duty tries for ever, and the plan waits. */
  NEVER_ANSWERS_THAT_A_DUTY_FAILS {
    @Override
    Seams plant() {
      return new Seams() {
        @Override
        public boolean answersFailures() {
          return false;
        }
      };
    }
  },
  /** A plan that ends as it is does not wait until all nodes that run have answered. */
  ENDS_AS_IT_IS_WITHOUT_ANSWERS {
    @Override
    Seams plant() {
      return new Seams() {
        @Override
        public List<ControlRecord> append(MachineState state, ControlRecord record) {
          boolean isEnd = record.hasRestore() && record.getRestore().getAsIs();
          Converge.Builder next =
              Converge.newBuilder().setAttempt(record.getRestore().getAttempt());
          return isEnd
              ? List.of(
                  record,
                  ControlRecord.newBuilder().setEpoch(record.getEpoch()).setConverge(next).build())
              : List.of(record);
        }
      };
    }
  },
  /** An orchestrator that takes over does not know which coverage gaps there were. */
  FORGETS_COVERAGE_GAPS_AT_A_TAKEOVER {
    @Override
    Seams plant() {
      return new Seams() {
        @Override
        public List<ControlRecord> takenOver(List<ControlRecord> log) {
          return log.stream().filter(record -> !record.getCoverage().hasFound()).toList();
        }
      };
    }
  },
  /** An orchestrator that finds coverage gaps acknowledges them without an operator. */
  ACKNOWLEDGES_COVERAGE_GAPS_BY_ITSELF {
    @Override
    Seams plant() {
      return new Seams() {
        @Override
        public List<ControlRecord> appendBesides(MachineState state) {
          return state.log().coverage().unacknowledgedCount() == 0
              ? List.of()
              : List.of(acknowledged(state));
        }
      };
    }
  },
  /** Clients go on with R + W = N where they were asked not to. */
  FORGETS_SEQUENTIAL_KEYS {
    @Override
    Seams plant() {
      return new Seams() {
        @Override
        public boolean knowsSequentialKeys() {
          return false;
        }
      };
    }
  };

  /** A plan is opened instead of a record. */
  private static Seams opening(
      Predicate<ControlRecord> instead, ToLongFunction<ControlRecord> target) {
    return new Seams() {
      @Override
      public List<ControlRecord> append(MachineState state, ControlRecord record) {
        PlanOpened.Builder opened =
            PlanOpened.newBuilder()
                .setPredicate(WatchedMutex.NAME)
                .setTarget(target.applyAsLong(record));
        return instead.test(record)
            ? List.of(
                record.toBuilder().setEpoch(record.getEpoch() + 1).setPlanOpened(opened).build())
            : List.of(record);
      }
    };
  }

  private final long firstSeed;

  PlantedBug() {
    this(0);
  }

  PlantedBug(long firstSeed) {
    this.firstSeed = firstSeed;
  }

  /** For one run. */
  abstract Seams plant();

  /** Where the search begins: seeds that find a rare bug are rare. */
  long firstSeed() {
    return firstSeed;
  }

  private static ControlRecord acknowledged(MachineState state) {
    GapsAcknowledged all =
        GapsAcknowledged.newBuilder().setToNumber(state.log().coverage().found()).build();
    return ControlRecord.newBuilder()
        .setEpoch(state.log().epoch())
        .setCoverage(CoverageStep.newBuilder().setAcknowledged(all))
        .build();
  }

  private static ControlRecord resume(Plan plan) {
    return ControlRecord.newBuilder()
        .setEpoch(plan.epoch())
        .setResume(
            Resume.newBuilder()
                .setTarget(plan.target())
                .setClock(Math.max(plan.clock(), plan.target()))
                .setAttempt(plan.attempt()))
        .build();
  }
}
