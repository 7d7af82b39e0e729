// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import DBus

@Suite struct DBusConnectionCoreTests {
    private static let later = Instant(nanoseconds: 1_000)

    /// Returns a core after the authentication and Hello, whose serial is 1.
    private static func openCore() -> DBusConnectionCore {
        var core = DBusConnectionCore()
        _ = core.start()
        for line in ["DATA\r\n", "OK 00\r\n", "AGREE_UNIX_FD\r\n"] {
            _ = core.receive(Array(line.utf8)[...])
        }
        _ = core.receive(reply(to: 1, [.string(":1.9")])[...])
        return core
    }

    private static func reply(to serial: UInt32, _ body: [DBusValue] = [], descriptors: Int = 0)
        -> [UInt8]
    {
        DBusMessage(.reply(to: serial), serial: 50, body: body, descriptorCount: descriptors).bytes
    }

    @Test("The authentication sends no user number, and asks for descriptors")
    func authentication() {
        var core = DBusConnectionCore()
        #expect(core.start() == [.send([0] + Array("AUTH EXTERNAL\r\n".utf8))])
        #expect(core.receive(Array("DA".utf8)[...]).isEmpty)
        #expect(core.receive(Array("TA\r\n".utf8)[...]) == [.send(Array("DATA\r\n".utf8))])
        #expect(
            core.receive(Array("OK 1234\r\n".utf8)[...])
                == [.send(Array("NEGOTIATE_UNIX_FD\r\n".utf8))]
        )
        var hello = DBusMessage.toBus("Hello")
        hello.serial = 1
        #expect(
            core.receive(Array("AGREE_UNIX_FD\r\n".utf8)[...])
                == [.send(Array("BEGIN\r\n".utf8) + hello.bytes)]
        )
        #expect(!core.isOpen)
        #expect(
            core.receive(Self.reply(to: 1, [.string(":1.9")])[...])
                == [.ignored(descriptors: 0), .opened]
        )
    }

    @Test("A bus that passes no descriptors can be used")
    func noDescriptors() {
        var authentication = DBusAuthentication()
        let steps = authentication.receive(Array("OK 1\r\nERROR\r\nrest".utf8)[...])
        #expect(steps.last == .done(rest: Array("rest".utf8)[...]))
    }

    @Test(
        "A wrong answer to the authentication ends it",
        arguments: ["REJECTED EXTERNAL\r\n", "HELLO\r\n", "\r\n", "AGREE_UNIX_FD\r\n"]
    )
    func refusedAuthentication(_ line: String) {
        var authentication = DBusAuthentication()
        let steps = authentication.receive(Array(line.utf8)[...])
        guard case .failed? = steps.last else {
            Issue.record("\(steps)")
            return
        }
        #expect(authentication.receive(Array("OK\r\n".utf8)[...]).isEmpty)
    }

    @Test("The length of an authentication line is limited")
    func endlessLine() {
        var authentication = DBusAuthentication()
        let line = [UInt8](repeating: 65, count: DBusAuthentication.lineLengthLimit)
        #expect(authentication.receive(line.dropLast()).isEmpty)
        #expect(
            authentication.receive([65])
                == [.failed(.violation("a line without an end"))]
        )
    }

    @Test("Replies end the call with their serial, in any order")
    func replies() throws {
        var core = Self.openCore()
        let (first, _) = try core.call(.toBus("A"), deadline: Self.later)
        let (second, _) = try core.call(.toBus("B"), deadline: Self.later)
        #expect(first != second)
        let actions = core.receive(Self.reply(to: second)[...])
        #expect(
            actions == [.completed(second, .success(DBusMessage(.reply(to: second), serial: 50)))]
        )
        // A second reply to the same call has no receiver.
        #expect(core.receive(Self.reply(to: second)[...]) == [.ignored(descriptors: 0)])
        let error = DBusMessage(
            .error(name: "a.B", to: first),
            serial: 51,
            body: [.string("text")]
        )
        #expect(
            core.receive(error.bytes[...]) == [
                .ignored(descriptors: 0),
                .completed(first, .failure(.failed(name: "a.B", message: "text"))),
            ]
        )
        #expect(core.nextDeadline == nil)
    }

    @Test("A call without a reply ends at its deadline")
    func deadline() throws {
        var core = Self.openCore()
        let (serial, _) = try core.call(.toBus("A"), deadline: Self.later)
        #expect(core.nextDeadline == Self.later)
        #expect(core.deadlinePassed(now: .zero).isEmpty)
        #expect(core.deadlinePassed(now: Self.later) == [.completed(serial, .failure(.timedOut))])
        #expect(core.receive(Self.reply(to: serial)[...]) == [.ignored(descriptors: 0)])
    }

    @Test("A waiting call fails once when the connection ends, and a later call fails")
    func disconnection() throws {
        var core = Self.openCore()
        let (serial, _) = try core.call(.toBus("A"), deadline: Self.later)
        #expect(core.disconnected() == [.completed(serial, .failure(.disconnected))])
        #expect(core.disconnected().isEmpty)
        #expect(throws: DBusError.disconnected) {
            try core.call(.toBus("A"), deadline: Self.later)
        }
    }

    @Test("The number of calls that wait is limited")
    func callLimit() throws {
        var core = Self.openCore()
        for _ in 0..<DBusConnectionCore.pendingCallLimit {
            _ = try core.call(.toBus("A"), deadline: Self.later)
        }
        #expect(throws: DBusError.tooManyCalls) { try core.call(.toBus("A"), deadline: Self.later) }
    }

    @Test("A message with more descriptors than have arrived ends the connection and its calls")
    func missingDescriptors() throws {
        var core = Self.openCore()
        let (serial, _) = try core.call(.toBus("A"), deadline: Self.later)
        let actions = core.receive(Self.reply(to: serial, descriptors: 2)[...], descriptors: 1)
        #expect(actions.first == .completed(serial, .failure(.disconnected)))
        guard case .close(.violation)? = actions.last else {
            Issue.record("\(actions)")
            return
        }
    }

    @Test("Descriptors without a message are limited")
    func idleDescriptors() {
        var core = Self.openCore()
        for _ in 0..<4 { #expect(core.receive([], descriptors: 16).isEmpty) }
        #expect(
            core.receive([], descriptors: 1) == [.close(.violation("too many file descriptors"))]
        )
    }

    @Test("A closed connection ignores bytes and descriptors that still arrive")
    func afterTheEnd() {
        var core = Self.openCore()
        let limit = DBusConnectionCore.unclaimedDescriptorLimit
        let ends = core.receive([], descriptors: limit + 1)
        #expect(ends == [.close(.violation("too many file descriptors"))])
        #expect(core.receive([0x6C], descriptors: 1) == [])
    }

    @Test("A signal is passed on, and a message of an unknown type is not")
    func received() {
        var core = Self.openCore()
        let signal = DBusMessage(.signal(path: .root, interface: "a.b", member: "C"), serial: 3)
        #expect(core.receive(signal.bytes[...]) == [.received(signal)])
        #expect(
            core.receive(DBusMessage(.unknown(9), serial: 4).bytes[...])
                == [.ignored(descriptors: 0)]
        )
    }

    @Test("Random bytes from the bus end the connection at most once", arguments: RunSeed.seeds(2))
    func randomBytes(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for isOpen in [false, true] {
            var core = isOpen ? Self.openCore() : DBusConnectionCore()
            var closes = 0
            for _ in 0..<200 {
                for case .close in core.receive(random.bytes(upTo: 300)[...]) { closes += 1 }
            }
            #expect(closes <= 1)
        }
    }
}

@Suite struct DBusAddressTests {
    @Test(
        "The first Unix socket of a list is used",
        arguments: [
            ("unix:path=/run/bus", DBusAddress.path("/run/bus")),
            ("unix:abstract=/tmp/x,guid=12", .abstract("/tmp/x")),
            ("tcp:host=a,port=1;unix:guid=3,path=/a%20b", .path("/a b")),
        ]
    )
    func accepted(_ text: String, _ address: DBusAddress) {
        #expect(DBusAddress(list: text) == address)
    }

    @Test(
        "Addresses without a valid Unix socket are refused",
        arguments: ["", "unix:", "tcp:host=a", "unix:path=", "unix:path=/a%2", "unix:path=%00"]
    )
    func refused(_ text: String) {
        #expect(DBusAddress(list: text) == nil)
    }
}
