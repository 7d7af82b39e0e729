// SPDX-License-Identifier: Apache-2.0

import Metrics
import Synchronization

/// A back end of swift-metrics that keeps all values, and writes them in Prometheus' text format,
/// version 0.0.4.
final class PrometheusRegistry: MetricsFactory, Sendable {
    /// The maximum number of time series. Further ones are not kept.
    static let seriesLimit = 1_000
    /// The upper bounds of a histogram's buckets in seconds, from a move between two radios to an
    /// accessory that was away for an hour.
    static let buckets = [0.1, 0.25, 0.5, 1, 2, 3, 4, 5, 7.5, 10, 30, 60, 300, 3_600]

    enum Kind: String { case counter, gauge, histogram }

    private struct Family {
        let kind: Kind
        /// The series by their labels in the text format.
        var series: [String: Series] = [:]
    }

    private let families = Mutex<[String: Family]>([:])
    private let meanings: [String: String]

    /// Creates an empty registry.
    ///
    /// - Parameter meanings: The meanings of metrics by their names, for the help lines.
    init(meanings: [String: String] = [:]) {
        self.meanings = meanings
    }

    /// Returns the series with this name and these labels; `nil` if the registry is full, or the
    /// metric is of another kind.
    private func series(_ label: String, _ labels: [(String, String)], _ kind: Kind) -> Series? {
        let name = Self.name(label)
        let labels = labels.map { "\(Self.name($0))=\"\(Self.escaped($1))\"" }.sorted()
            .joined(separator: ",")
        return families.withLock { families in
            var family = families[name] ?? Family(kind: kind)
            guard family.kind == kind else { return nil }
            if let series = family.series[labels] { return series }
            guard families.values.reduce(0, { $0 + $1.series.count }) < Self.seriesLimit else {
                return nil
            }
            let series = Series(bucketCount: kind == .histogram ? Self.buckets.count : 0)
            family.series[labels] = series
            families[name] = family
            return series
        }
    }

    // MARK: The factory

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .counter) ?? Series(bucketCount: 0)
    }

    func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, dimensions, .counter) ?? Series(bucketCount: 0)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, .gauge) ?? Series(bucketCount: 0)
    }

    func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        let series = series(label, dimensions, aggregate ? .histogram : .gauge)
        return series ?? Series(bucketCount: 0)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, .histogram) ?? Series(bucketCount: Self.buckets.count)
    }

    // The registry keeps the values of a destroyed handler, because the next handler of the metric
    // continues to count.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    // MARK: The text

    /// The names of all metrics.
    var names: Set<String> { families.withLock { Set($0.keys) } }

    /// All values in the text format.
    var text: String {
        let families = families.withLock { $0 }
        return families.sorted { $0.key < $1.key }.map { name, family in
            let help = meanings[name].map { "# HELP \(name) \($0)\n" } ?? ""
            let series = family.series.sorted { $0.key < $1.key }
            return help + "# TYPE \(name) \(family.kind.rawValue)\n"
                + series.map { $1.lines(name, labels: $0) }.joined()
        }.joined()
    }

    /// Returns a name with only the characters that the format allows.
    static func name(_ text: String) -> String {
        let name = text.map { character in
            character.isASCII && (character.isLetter || character.isNumber || character == "_")
                ? character : "_"
        }
        return name.first?.isNumber ?? true ? "_" + String(name) : String(name)
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { text, character in
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n", "\r\n": text += "\\n"
            default: text.append(character)
            }
        }
    }
}

/// One time series: a value, or the counts of a histogram's buckets.
private final class Series: Sendable {
    private struct State {
        /// The value, or the sum of a histogram's values.
        var value = 0.0
        var count: UInt64 = 0
        /// The numbers of values in each bucket, not cumulative.
        var buckets: [UInt64]
    }

    private let state: Mutex<State>

    init(bucketCount: Int) {
        state = Mutex(State(buckets: Array(repeating: 0, count: bucketCount)))
    }

    private func add(_ amount: Double) { state.withLock { $0.value += amount } }

    private func observe(_ value: Double) {
        state.withLock { state in
            state.value += value
            state.count += 1
            let bucket = PrometheusRegistry.buckets.firstIndex { value <= $0 }
            if let bucket { state.buckets[bucket] += 1 }
        }
    }

    /// Returns the lines of the series.
    func lines(_ name: String, labels: String) -> String {
        let (value, count, buckets) = state.withLock { ($0.value, $0.count, $0.buckets) }
        let braces = labels.isEmpty ? "" : "{\(labels)}"
        guard !buckets.isEmpty else { return "\(name)\(braces) \(value)\n" }
        let prefix = labels.isEmpty ? "" : labels + ","
        var (lines, total) = ("", UInt64(0))
        for (bound, number) in zip(PrometheusRegistry.buckets, buckets) {
            total += number
            lines += "\(name)_bucket{\(prefix)le=\"\(bound)\"} \(total)\n"
        }
        lines += "\(name)_bucket{\(prefix)le=\"+Inf\"} \(count)\n"
        return lines + "\(name)_sum\(braces) \(value)\n\(name)_count\(braces) \(count)\n"
    }
}

extension Series: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler,
    TimerHandler
{
    func increment(by amount: Int64) { add(Double(amount)) }
    func increment(by amount: Double) { add(amount) }
    func decrement(by amount: Double) { add(-amount) }
    func reset() { set(0.0) }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { state.withLock { $0.value = value } }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let isHistogram = state.withLock { !$0.buckets.isEmpty }
        if isHistogram { observe(value) } else { set(value) }
    }

    func recordNanoseconds(_ duration: Int64) { observe(Double(duration) * 1e-9) }
}
