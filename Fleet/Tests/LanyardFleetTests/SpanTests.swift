// SPDX-License-Identifier: Apache-2.0

import Foundation
import InMemoryTracing
import JSONText
import Lanyard
import Testing
import Tracing

@testable import LanyardFleet

struct SpanTests {
    static let lost = LinkFailure(.linkLoss, "connection timeout")

    @Test("A first connection has a span for the connection and one for the discovery")
    func first() {
        let tracer = InMemoryTracer()
        var spans = AccessorySpans(of: "strap", tracer: tracer)
        for state in [.scanning, .connecting, .discoveringServices] as [AccessoryState] {
            spans.changed(.init(state, .requested))
        }
        spans.changed(.init(.discoveringCharacteristics, .servicesFound))
        spans.changed(.init(.subscribing, .databaseKnown))
        spans.changed(.init(.ready, .usable))
        let finished = tracer.popFinishedSpans()
        #expect(finished.map(\.operationName) == ["connect", "discover"])
        #expect(finished.allSatisfy { $0.status == nil && $0.parentSpanID == nil })
        #expect(finished.allSatisfy { $0.attributes.get("accessory") == .string("strap") })
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test("A lost link has a span until the accessory is ready again, with attempts as children")
    func roaming() throws {
        let tracer = InMemoryTracer()
        var spans = AccessorySpans(of: "strap", tracer: tracer)
        spans.changed(.init(.ready, .usable))
        spans.changed(.init(.connecting, .retrying(Self.lost, after: .zero)))
        spans.changed(.init(.discoveringServices, .linked))
        spans.changed(.init(.connecting, .retrying(Self.lost, after: .zero)))
        spans.changed(.init(.subscribing, .linked))
        spans.changed(.init(.ready, .usable, gap: .milliseconds(1_500)))
        let finished = tracer.popFinishedSpans()
        #expect(
            finished.map(\.operationName) == ["connect", "discover", "connect", "discover", "roam"]
        )
        let roam = try #require(finished.last)
        #expect(roam.attributes.get("gap.seconds") == .double(1.5))
        #expect(finished.dropLast().allSatisfy { $0.parentSpanID == roam.spanID })
        #expect(finished.map { $0.errors.count } == [0, 1, 0, 0, 0])
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test("A requested disconnection has no span, and all spans end when the host gives up")
    func ends() {
        let tracer = InMemoryTracer()
        var spans = AccessorySpans(of: "strap", tracer: tracer)
        spans.changed(.init(.ready, .usable))
        spans.changed(.init(.disconnecting, .requested))
        spans.changed(.init(.idle, .requested))
        #expect(tracer.popFinishedSpans().isEmpty)
        spans.changed(.init(.connecting, .requested))
        spans.changed(.init(.ready, .usable))
        spans.changed(.init(.outOfRange, .lost(Self.lost)))
        spans.end()
        let finished = tracer.popFinishedSpans()
        #expect(finished.map(\.operationName) == ["connect", "roam"])
        #expect(finished.last?.status?.code == .error)
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test("The file has each ended span as a line, and the children of a span have its trace")
    func file() throws {
        let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let tracer = try SpanFile(path)
        let outer = tracer.startSpan("outer", context: .topLevel)
        let inner = tracer.startSpan("inner", context: outer.context)
        inner.attributes["accessory"] = "a\"b"
        inner.recordError(SpanFailure(description: "why"), attributes: [:])
        inner.setStatus(SpanStatus(code: .error, message: "why"))
        inner.end()
        inner.end()
        outer.end()
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        let spans = try lines.map { line in
            let resource = try JSON(parsing: String(line)).members?["resourceSpans"]?.elements?[0]
            let scope = resource?.members?["scopeSpans"]?.elements?[0]
            return try #require(scope?.members?["spans"]?.elements?[0].members)
        }
        #expect(spans.map { $0["name"] } == [.string("inner"), .string("outer")])
        #expect(spans[0]["parentSpanId"] == spans[1]["spanId"])
        #expect(spans[0]["traceId"] == spans[1]["traceId"])
        #expect(spans[0]["traceId"]?.text?.count == 32)
        #expect(spans[0]["status"]?.members?["code"] == .integer(2))
        #expect(spans[0]["events"]?.elements?.count == 1)
        #expect(spans[1]["parentSpanId"] == nil)
    }

    @Test("A file of spans that is full continues in a new one")
    func rotation() throws {
        let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        defer {
            try? FileManager.default.removeItem(atPath: path)
            try? FileManager.default.removeItem(atPath: path + ".1")
        }
        let full = Data(repeating: 10, count: SpanFile.sizeLimit)
        try full.write(to: URL(fileURLWithPath: path))
        try SpanFile(path).startSpan("one", context: .topLevel).end()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + ".1")) == full)
        #expect(try String(contentsOfFile: path, encoding: .utf8).contains(#""name":"one""#))
    }
}
