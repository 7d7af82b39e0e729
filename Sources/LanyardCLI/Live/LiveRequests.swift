// SPDX-License-Identifier: Apache-2.0

import JSONText
import Lanyard
import Synchronization

/// The answers to the requests of the page.
final class LiveRequests: Sendable {
    private let hub: LiveHub
    private let links: LiveLinks
    private let world: LiveWorld
    private let access = Mutex<LiveAccess?>(nil)

    /// The maximum number of words of a command.
    static let wordLimit = 16

    init(hub: LiveHub, links: LiveLinks, world: LiveWorld) {
        self.hub = hub
        self.links = links
        self.world = world
    }

    /// Sets the check of requests. Without a check, all requests are refused.
    func admit(_ access: LiveAccess) {
        self.access.withLock { $0 = access }
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        guard let access = access.withLock({ $0 }) else { return .refusal(.unavailable) }
        do throws(HTTPStatus) {
            switch try access.route(of: request) {
            case .page: return HTTPResponse(content: .html(LivePage.html))
            case .timeline:
                var timeline = Timeline(title: "Live")
                timeline.isLive = true
                return HTTPResponse(content: .html(TimelinePage(timeline: timeline).html))
            case .events: return HTTPResponse(content: .events)
            case .command: return HTTPResponse(content: .json(await answer(request.body)))
            }
        } catch {
            return .refusal(error)
        }
    }

    /// Performs the command in a body. Returns its result, or its failure as an object with
    /// `error`.
    private func answer(_ body: [UInt8]) async -> JSON {
        do {
            return .object([.init("result", try await perform(LiveCommandBody(body)))])
        } catch let error as JSONError {
            return ProgramFailure.usage("the command is not valid: \(error)").json
        } catch {
            return ProgramFailure(error, during: "performing the command").json
        }
    }

    private func perform(_ command: LiveCommandBody) async throws -> JSON {
        switch command {
        case .words(let words, let device): return try await links.perform(words, on: device)
        case .move(let number, let x, let y): try await world.move(number, x: x, y: y)
        case .power(let number, let isOn): try await world.power(number, isOn: isOn)
        }
        return .null
    }
}

/// A command of the page.
enum LiveCommandBody: Equatable, Sendable {
    /// A command of the shell for a device.
    case words([String], device: String)
    /// Moves a device of the virtual world.
    case move(Int, x: Double, y: Double)
    /// Switches a device of the virtual world on or off.
    case power(Int, isOn: Bool)

    /// Parses `{"device": …, "words": […]}`, `{"move": 3, "x": 1, "y": 2}` or
    /// `{"power": 3, "on": true}`.
    init(_ body: [UInt8]) throws(JSONError) {
        let node = try JSONNode(parsing: String(decoding: body, as: UTF8.self))
        let members = try node.members("device", "words", "move", "power", "x", "y", "on")
        if let number = members["move"] {
            let range = -LiveWorld.distanceLimit...LiveWorld.distanceLimit
            self = .move(
                Int(try number.wholeNumber(in: Self.numbers)),
                x: try members.require("x").number(in: range),
                y: try members.require("y").number(in: range)
            )
        } else if let number = members["power"] {
            self = .power(
                Int(try number.wholeNumber(in: Self.numbers)),
                isOn: try members.require("on").bool
            )
        } else {
            var words: [String] = []
            for word in try members.require("words").elements(limit: LiveRequests.wordLimit) {
                words.append(try word.text)
            }
            self = .words(words, device: try members.require("device").text)
        }
    }

    private static let numbers = 0.0...65_535.0
}
