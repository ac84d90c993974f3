package io.palinode.monitor.flink.job;

import io.palinode.detection.DetectionLimits;
import io.palinode.hvc.Epsilon;
import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Notice;
import io.palinode.monitor.flink.CandidateEventSerializer;
import io.palinode.monitor.flink.NoticeSerializer;
import io.palinode.monitor.flink.Verdict;
import io.palinode.monitor.flink.detection.DetectionFunction;
import io.palinode.monitor.flink.detection.DetectionSettings;
import io.palinode.wire.KafkaSecurity;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.RunningEpsilons;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.datastream.BroadcastStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.ParameterTool;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The detection job: for any Flink cluster by {@link #main}, for an embedded one by {@link #build}.
 */
public final class DetectionJob {
  /**
   * Of the state in checkpoints. The job cannot resume from those of another version: it then
   * begins without one, from what the candidates' topic still holds.
   */
  public static final int STATE_VERSION = 4;

  private static final Logger log = LoggerFactory.getLogger(DetectionJob.class);

  private static final Set<String> OPTIONS =
      new TreeSet<>(
          Set.of(
              "bootstrap-servers",
              "prefix",
              "nodes",
              "epsilon",
              "parallelism",
              "checkpoint-interval-ms",
              "count-phantoms",
              "intervals-max",
              "reports-max",
              "search-steps-max",
              "instances-max",
              "skip-after-ms",
              "kafka-config",
              "linger-ms"));

  private DetectionJob() {}

  /**
   * Submits the job to the cluster that starts this. {@code --bootstrap-servers}, {@code --nodes}
   * and {@code --epsilon} are needed; {@code --prefix}, {@code --parallelism}, {@code
   * --checkpoint-interval-ms}, {@code --linger-ms}, {@code --kafka-config} (a file, read here
   * alone) and those of {@link DetectionSettings} have defaults. The topics are created if absent.
   * The checkpoint folder is the cluster's ({@code execution.checkpointing.dir}). Throws {@link
   * IllegalArgumentException} if a node that runs has another ε.
   */
  public static void main(String[] args) throws Exception {
    DetectionJobConfig config = parse(args);
    try (TopicsAdmin admin = new TopicsAdmin(config.kafka(), config.topics())) {
      admin.createAbsent(TopicLayout.DEFAULT);
      requirePartitions(config, admin.candidatePartitions());
    }
    RunningEpsilons.require(
        config.kafka(),
        config.topics(),
        config.epsilon(),
        -1,
        "give the job the one of the nodes",
        log::warn);
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    build(env, config);
    env.execute(name(config));
  }

  /**
   * Adds the job to {@code env}, settings included, and submits nothing. The topics must exist when
   * it runs. Where checkpoints go is for the cluster to say.
   */
  public static void build(StreamExecutionEnvironment env, DetectionJobConfig config) {
    env.configure(settings(config));
    SingleOutputStreamOperator<CandidateEvent> candidates =
        env.fromSource(
                candidates(config),
                watermarks(config.nodes(), config.detection().skipAfter()),
                "candidates",
                CandidateEventSerializer.TYPE)
            .uid("candidates")
            .setParallelism(config.execution().parallelism());
    SingleOutputStreamOperator<Notice> predicates =
        env.fromSource(
                predicates(config),
                WatermarkStrategy.forGenerator(context -> new PredicateWatermarkGenerator()),
                "predicates",
                NoticeSerializer.TYPE)
            .uid("predicates")
            .setParallelism(1);
    detect(candidates, predicates, config)
        .sinkTo(violations(config))
        .name("violations")
        .uid("violations")
        .setParallelism(1);
  }

  public static String name(DetectionJobConfig config) {
    return config.topics().prefix() + "-detection";
  }

  /** Everything between the sources and the sink: encoded violation records. */
  static DataStream<byte[]> detect(
      DataStream<CandidateEvent> candidates,
      DataStream<Notice> predicates,
      DetectionJobConfig config) {
    SingleOutputStreamOperator<CandidateEvent> checked =
        candidates
            .transform(
                "sequence",
                CandidateEventSerializer.TYPE,
                new SequenceOperator(new SequenceFunction(config.nodes())))
            .uid("sequence")
            .setParallelism(config.execution().parallelism());
    BroadcastStream<Notice> notices =
        predicates
            .union(checked.getSideOutput(SequenceFunction.NOTICES))
            .broadcast(
                DetectionFunction.broadcastStates().toArray(MapStateDescriptor<?, ?>[]::new));
    return checked
        .keyBy(CandidateEvent::key, Types.STRING)
        .connect(notices)
        .process(
            new DetectionFunction(config.nodes(), config.epsilon(), config.detection()),
            Verdict.TYPE)
        .name("detection")
        .uid("detection")
        .setParallelism(config.execution().parallelism())
        .transform(
            "judged",
            PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO,
            new JudgedOperator(config.epsilon(), config.open()))
        .uid("judged")
        .setParallelism(1)
        .setMaxParallelism(1);
  }

  static WatermarkStrategy<CandidateEvent> watermarks(int nodes, Duration skipAfter) {
    return WatermarkStrategy.<CandidateEvent>forGenerator(
            context -> new ProgressWatermarkGenerator(nodes, skipAfter))
        .withTimestampAssigner((event, kafkaTime) -> event.hlc());
  }

  private static Configuration settings(DetectionJobConfig config) {
    Configuration settings = new Configuration();
    // The default of 100 ms alone would cost 30 ms in the median.
    settings.set(ExecutionOptions.BUFFER_TIMEOUT, Duration.ZERO);
    settings.set(PipelineOptions.OBJECT_REUSE, true);
    // A guard: a type that Flink does not know would silently go through Kryo.
    settings.set(PipelineOptions.GENERIC_TYPES, false);
    settings.set(StateBackendOptions.STATE_BACKEND, "hashmap");
    settings.set(
        CheckpointingOptions.CHECKPOINTING_INTERVAL, config.execution().checkpointInterval());
    settings.set(
        CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
        ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
    return settings;
  }

  /**
   * From the beginning unless a checkpoint says otherwise, not from committed offsets: without its
   * state the job would not know what was open there.
   */
  private static KafkaSource<CandidateEvent> candidates(DetectionJobConfig config) {
    return source(KafkaSource.<CandidateEvent>builder(), config, config.topics().candidates())
        .setDeserializer(new CandidateDeserializer(config.nodes()))
        .build();
  }

  private static KafkaSource<Notice> predicates(DetectionJobConfig config) {
    return source(KafkaSource.<Notice>builder(), config, config.topics().predicates())
        .setDeserializer(new PredicateDeserializer(config.nodes()))
        .build();
  }

  private static <T> KafkaSourceBuilder<T> source(
      KafkaSourceBuilder<T> builder, DetectionJobConfig config, String topic) {
    Map<String, Object> consumer = config.kafka().consumer(topic + "-flink");
    // The source names its clients itself and brings its own deserializers.
    consumer.remove(ConsumerConfig.CLIENT_ID_CONFIG);
    consumer.remove(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG);
    consumer.remove(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG);
    return builder
        .setTopics(topic)
        .setClientIdPrefix(topic)
        .setStartingOffsets(OffsetsInitializer.earliest())
        .setProperties(properties(consumer))
        // A partition that is added later would divide instances, so none is looked for.
        .setProperty("partition.discovery.interval.ms", "-1")
        .setProperty("commit.offsets.on.checkpoint", "false");
  }

  private static KafkaSink<byte[]> violations(DetectionJobConfig config) {
    String topic = config.topics().violations();
    Map<String, Object> producer = config.kafka().producer(topic + "-flink");
    producer.remove(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG);
    producer.remove(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG);
    producer.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, TopicLayout.VIOLATION_RECORD_BYTES_MAX);
    return KafkaSink.<byte[]>builder()
        .setKafkaProducerConfig(properties(producer))
        // Exactly once would keep violations from readers until the next checkpoint.
        .setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE)
        .setRecordSerializer(new ViolationSerializer(topic))
        .build();
  }

  private static Properties properties(Map<String, Object> settings) {
    Properties properties = new Properties();
    settings.forEach((name, value) -> properties.setProperty(name, value.toString()));
    return properties;
  }

  static DetectionJobConfig parse(String[] args) {
    ParameterTool options = ParameterTool.fromArgs(args);
    for (String name : options.toMap().keySet()) {
      if (!OPTIONS.contains(name)) {
        throw new IllegalArgumentException("an option must be one of " + OPTIONS + ": --" + name);
      }
    }
    return new DetectionJobConfig(
        kafka(options),
        new Topics(options.get("prefix", Topics.DEFAULT.prefix())),
        Integer.parseInt(options.getRequired("nodes")),
        Epsilon.parse(options.getRequired("epsilon")),
        execution(options),
        detection(options),
        "");
  }

  private static KafkaSettings kafka(ParameterTool options) {
    KafkaSettings kafka =
        KafkaSettings.of(options.getRequired("bootstrap-servers"))
            .withLingerMs(options.getInt("linger-ms", 0));
    String file = options.get("kafka-config");
    return file == null ? kafka : kafka.withSecurity(KafkaSecurity.read(Path.of(file)));
  }

  private static DetectionJobConfig.Execution execution(ParameterTool options) {
    DetectionJobConfig.Execution defaults = DetectionJobConfig.Execution.DEFAULT;
    return new DetectionJobConfig.Execution(
        options.getInt("parallelism", defaults.parallelism()),
        Duration.ofMillis(
            options.getLong("checkpoint-interval-ms", defaults.checkpointInterval().toMillis())));
  }

  private static DetectionSettings detection(ParameterTool options) {
    DetectionLimits limits = DetectionLimits.DEFAULT;
    return new DetectionSettings(
        new DetectionLimits(
            options.getInt("intervals-max", limits.intervalsMax()),
            options.getInt("reports-max", limits.reportsMax()),
            options.getLong("search-steps-max", limits.searchStepsMax())),
        options.getInt("instances-max", DetectionSettings.INSTANCES_MAX_DEFAULT),
        options.has("count-phantoms"),
        Duration.ofMillis(
            options.getLong("skip-after-ms", DetectionSettings.SKIP_AFTER_DEFAULT.toMillis())));
  }

  private static void requirePartitions(DetectionJobConfig config, int partitions) {
    if (config.execution().parallelism() > partitions) {
      throw new IllegalArgumentException(
          "parallelism must be at most the partitions of "
              + config.topics().candidates()
              + ": parallelism="
              + config.execution().parallelism()
              + " partitions="
              + partitions);
    }
  }
}
