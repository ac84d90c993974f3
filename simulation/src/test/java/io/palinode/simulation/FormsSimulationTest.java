package io.palinode.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.DetectionSpec;
import io.palinode.detector.binding.StaleRead;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.detector.binding.WriteFeed.WriteListener;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.template.Decimal;
import io.palinode.simulation.Simulation.Result;
import io.palinode.simulation.world.Fault;
import io.palinode.simulation.world.Form;
import io.palinode.simulation.world.Seams;
import io.palinode.store.binding.StoreBinding;
import io.palinode.voldemort.client.session.SessionReads.Stale;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import io.palinode.wire.v1.CandidateRecord;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random runs with a predicate of each form, and a bug that only its form shows. */
class FormsSimulationTest {
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 200) / 6;
  private static final int SEEDS_MAX = 200;

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ALL_OF")
  void aClusterKeepsAllItsPromises(Form form) {
    Simulation simulation = new Simulation(EnumSet.allOf(Fault.class)).in(form);
    List<String> failures = new ArrayList<>();
    long violations = 0;
    long plans = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      Result result = simulation.run(seed);
      violations += result.violations();
      plans += result.rollbacks().plans();
      if (result.broken() != null) {
        failures.add("seed=" + seed + " " + result.broken().getMessage());
      }
    }
    assertThat(failures).as("of %d seeds", SEEDS).isEmpty();
    assertThat(violations).as("violations").isGreaterThan(SEEDS / 2);
    assertThat(plans).as("plans carried out").isGreaterThan(SEEDS / 4);
  }

  /** Bugs of the job, of clients and of nodes. */
  enum Bug {
    /** A copy on another node counts as another member. */
    COUNTS_REPLICAS_AS_MEMBERS(Form.DISTINCT) {
      @Override
      CandidateRecord read(CandidateRecord record) {
        return namingItsNodeAsMember(record);
      }
    },
    /** The same, in a sum. */
    ADDS_UP_REPLICAS(Form.TOTAL) {
      @Override
      CandidateRecord read(CandidateRecord record) {
        return namingItsNodeAsMember(record);
      }
    },
    /** Two flags that are up are not more than 2. */
    TAKES_AT_LEAST_FOR_ABOVE(Form.SUM) {
      @Override
      DetectionSpec detected(DetectionSpec spec) {
        ClauseRule above =
            new ClauseRule.Sum(
                ClauseRule.Relation.ABOVE, new Decimal(BigDecimal.valueOf(2)), List.of());
        return withClause(spec, new ClauseShape(above, spec.clauses().get(0).termsOf()));
      }
    },
    /** What lasts for half of the time is reported. */
    HALVES_THE_TIME(Form.LASTING) {
      @Override
      DetectionSpec detected(DetectionSpec spec) {
        return withHalfTheTime(spec);
      }
    },
    /** The same of a sum. */
    HALVES_THE_TIME_OF_A_SUM(Form.LASTING_SUM) {
      @Override
      DetectionSpec detected(DetectionSpec spec) {
        return withHalfTheTime(spec);
      }
    },
    /** What is answered after half of the time is reported. */
    ANSWERS_HALF_AS_LONG(Form.WITHIN) {
      @Override
      DetectionSpec detected(DetectionSpec spec) {
        ClauseRule half = new ClauseRule.Within(spec.within().time().dividedBy(2));
        return withClause(spec, new ClauseShape(half, spec.clauses().get(0).termsOf()));
      }
    },
    /** A client forgets what it has read and written. */
    FORGETS_WHAT_IT_HAS_SEEN(Form.LOST_UPDATE) {
      @Override
      List<VectorClock> stated(List<VectorClock> seen, List<VectorClock> read) {
        return List.of();
      }
    },
    /** What a client reads only to supersede it counts as seen by its program. */
    TAKES_A_READ_OF_CLOCKS_FOR_SEEN(Form.LOST_UPDATE) {
      @Override
      List<VectorClock> stated(List<VectorClock> seen, List<VectorClock> read) {
        return Stream.concat(seen.stream(), read.stream()).toList();
      }
    },
    /** The job does not report every other lost update. */
    LEAVES_OUT_LOST_UPDATES(Form.LOST_UPDATE) {
      @Override
      CandidateRecord read(CandidateRecord record) {
        return leavingOutEverySecond(record);
      }
    },
    /** The same of stale reads. */
    LEAVES_OUT_STALE_READS(Form.STALE_READ) {
      @Override
      CandidateRecord read(CandidateRecord record) {
        return leavingOutEverySecond(record);
      }
    },
    /** A client takes a version for older that is concurrent with what it wrote. */
    TAKES_CONCURRENT_FOR_OLDER(Form.STALE_READ) {
      @Override
      List<Stale> stale(List<Stale> found, List<Versioned> read, VectorClock written) {
        Stream<Stale> beside =
            read.stream()
                .filter(each -> each.clock().compare(written) == VectorClock.Relation.CONCURRENT)
                .map(each -> new Stale(each, written, true, false));
        return Stream.concat(found.stream(), beside).toList();
      }
    },
    /** A client takes what it wrote for what it had read. */
    TAKES_ITS_WRITES_FOR_READS(Form.NON_MONOTONIC_READ) {
      @Override
      List<Stale> stale(List<Stale> found, List<Versioned> read, VectorClock written) {
        return found.stream()
            .map(each -> new Stale(each.read(), each.before(), false, true))
            .toList();
      }
    },
    /** A client compares with what it wrote or read before a rollback too. */
    REMEMBERS_WHAT_A_ROLLBACK_DISCARDED(Form.STALE_READ) {
      @Override
      long judgedIn(long epoch) {
        return 0;
      }
    },
    /** A node looks for the version that was read, and finds it superseded. */
    DROPS_READS_OF_WHAT_IS_GONE(Form.STALE_READ) {
      @Override
      StoreBinding store(StoreBinding real) {
        return new StoreDecorator(real) {
          @Override
          public void listen(WriteListener listener) {
            super.listen(new ReadsOfPresent(this, listener));
          }
        };
      }
    };

    private final Form form;

    Bug(Form form) {
      this.form = form;
    }

    CandidateRecord read(CandidateRecord record) {
      return record;
    }

    DetectionSpec detected(DetectionSpec spec) {
      return spec;
    }

    List<VectorClock> stated(List<VectorClock> seen, List<VectorClock> read) {
      return seen;
    }

    List<Stale> stale(List<Stale> found, List<Versioned> read, VectorClock written) {
      return found;
    }

    long judgedIn(long epoch) {
      return epoch;
    }

    StoreBinding store(StoreBinding real) {
      return real;
    }

    /** As if it were of an earlier version of the predicate. */
    private static CandidateRecord leavingOutEverySecond(CandidateRecord record) {
      CandidateRecord.Builder read = record.toBuilder();
      if (record.hasOpened() && record.getSequence() % 2 == 0) {
        read.getOpenedBuilder().getIntervalBuilder().setPredicateVersion(0);
      } else if (record.hasClosed() && record.getClosed().getOpenedSequence() % 2 == 0) {
        read.getClosedBuilder().getIntervalBuilder().setPredicateVersion(0);
      }
      return read.build();
    }

    private static CandidateRecord namingItsNodeAsMember(CandidateRecord record) {
      CandidateRecord.Builder read = record.toBuilder();
      String member = "c=" + record.getNode() % 2;
      if (record.hasOpened()) {
        read.getOpenedBuilder().getIntervalBuilder().setMember(member);
      } else if (record.hasClosed()) {
        read.getClosedBuilder().getIntervalBuilder().setMember(member);
      }
      return read.build();
    }

    private static DetectionSpec withHalfTheTime(DetectionSpec spec) {
      ClauseShape clause = spec.clauses().get(0);
      return withClause(
          spec, new ClauseShape(clause.rule(), clause.termsOf(), clause.heldFor().dividedBy(2)));
    }

    private static DetectionSpec withClause(DetectionSpec spec, ClauseShape clause) {
      return new DetectionSpec(spec.nodes(), List.of(clause), spec.causality(), spec.replicas());
    }

    private Seams plant() {
      return new Seams() {
        @Override
        public CandidateRecord read(CandidateRecord record) {
          return Bug.this.read(record);
        }

        @Override
        public DetectionSpec detected(DetectionSpec spec) {
          return Bug.this.detected(spec);
        }

        @Override
        public List<VectorClock> stated(List<VectorClock> seen, List<VectorClock> read) {
          return Bug.this.stated(seen, read);
        }

        @Override
        public List<Stale> stale(List<Stale> found, List<Versioned> read, VectorClock written) {
          return Bug.this.stale(found, read, written);
        }

        @Override
        public long judgedIn(long epoch) {
          return Bug.this.judgedIn(epoch);
        }

        @Override
        public StoreBinding store(StoreBinding real) {
          return Bug.this.store(real);
        }
      };
    }
  }

  /** Passes on all but the reads of versions that the store does not have. */
  private record ReadsOfPresent(StoreBinding store, WriteListener listener)
      implements WriteListener {
    @Override
    public boolean watches(StoreKey key) {
      return listener.watches(key);
    }

    @Override
    public void written(WriteEvent event) {
      listener.written(event);
    }

    @Override
    public void readStale(StaleRead read) {
      if (store.siblings(read.key()).stream().anyMatch(read.read()::isSameWriteAs)) {
        listener.readStale(read);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPlantedBugIsFound(Bug bug) {
    Simulation simulation = new Simulation(SimulationTest.ALL_BUT_AWAY, bug::plant).in(bug.form);
    PlantedBugsTest.assertFound(simulation, 0, SEEDS_MAX, bug);
  }
}
