use super::*;
use crate::McpDoor;
use brainstem_api::{Toolset, table};
use brainstem_base::clock::SystemClock;
use brainstem_base::disk::RealDisk;
use brainstem_base::ids::SystemIds;
use brainstem_memory::{Memory, NoEmbedder, Parts};
use brainstem_post::live::Hub;
use hyper::StatusCode;
use serde_json::json;

fn door(sessions_max: usize) -> Mcp {
    let memory = Arc::new(Memory::new(Parts {
        disk: Arc::new(RealDisk),
        clock: Arc::new(SystemClock),
        ids: Arc::new(SystemIds),
        home: "no-such-home".into(),
        user_home: None,
        meanings: Arc::new(NoEmbedder),
    }));
    let door = McpDoor {
        memory,
        declared: Default::default(),
        roots: Default::default(),
        program: None,
        repeated: &[],
        toolsets: Toolset::DEFAULT.to_vec(),
        settle: None,
    };
    let limits = HttpLimits { sessions_max, ..HttpLimits::default() };
    let (stop, end) = (CancellationToken::new(), CancellationToken::new());
    let live = Arc::new(Hub::new(door.memory.now()));
    let handler = Handler::shared(door, table(), Arc::new(Calls::new()), live);
    Mcp::new(handler, Arc::new(Room::new(stop.clone())), &limits, Arc::new(Meters::new()), stop, end)
}

async fn post(mcp: &Mcp, session: Option<&str>, body: &str) -> HttpAnswer {
    let mut request = Request::builder()
        .method("POST")
        .uri("/mcp")
        .header("host", "localhost")
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json");
    if let Some(id) = session {
        request = request.header(SESSION_HEADER, id);
    }
    let head = request.body(()).expect("a request").into_parts().0;
    mcp.answer(head, ReadBody { bytes: body.to_owned().into(), held: None }).await
}

const HELLO: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#;
const READY: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

async fn open(mcp: &Mcp) -> Result<String, StatusCode> {
    let answer = post(mcp, None, HELLO).await;
    let id = answer.headers().get(SESSION_HEADER).and_then(|id| id.to_str().ok()).map(str::to_owned);
    let id = id.ok_or(answer.status())?;
    assert_eq!(post(mcp, Some(&id), READY).await.status(), StatusCode::ACCEPTED);
    Ok(id)
}

fn on_a_stopped_clock(test: impl Future<Output = ()>) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().start_paused(true).build().expect("a runtime").block_on(test);
}

#[test] // spec: IF-7
fn a_session_survives_an_idle_day() {
    on_a_stopped_clock(async {
        let mcp = door(4);
        let id = open(&mcp).await.expect("a session");
        assert_eq!(post(&mcp, Some(&id), LIST).await.status(), StatusCode::OK);
        tokio::time::advance(Duration::from_secs(25 * 3600)).await;
        mcp.reap().await;
        assert_eq!(post(&mcp, Some(&id), LIST).await.status(), StatusCode::OK);
    });
}

#[test] // spec: IF-14c
fn a_dead_session_gives_way_after_seconds_and_a_refusal_is_json_rpc() {
    on_a_stopped_clock(async {
        let mcp = door(3);
        let mut ids = Vec::new();
        for _ in 0..3 {
            let id = open(&mcp).await.expect("a session");
            // The session is used, and then its client dies.
            let answer = post(&mcp, Some(&id), LIST).await;
            answer.into_body().collect().await.expect("read");
            ids.push(id);
        }
        let refused = post(&mcp, None, HELLO).await;
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE, "all of them are fresh");
        assert_eq!(refused.headers()["retry-after"], "5");
        let reply = json(refused).await;
        assert_eq!((&reply["id"], &reply["error"]["code"]), (&json!(0), &json!(-32000)), "{reply}");
        assert_eq!(reply["error"]["data"]["code"], "daemon.busy");
        mcp.sessions.age_by(SESSION_IDLE_MIN);
        let fourth = open(&mcp).await.expect("there is room");
        let is_there = async |id: &str| post(&mcp, Some(id), LIST).await.status() == StatusCode::OK;
        assert!(!is_there(&ids[0]).await && is_there(&ids[1]).await && is_there(&fourth).await);
        assert_eq!(mcp.manager.sessions.read().await.len(), 3);
        // A session with an open stream stays, however long it is silent.
        let listening = listen(&mcp, &ids[1]).await;
        assert_eq!(listening.status(), StatusCode::OK);
        mcp.sessions.age_by(3 * SESSION_IDLE_MIN);
        open(&mcp).await.expect("there is room");
        open(&mcp).await.expect("there is room");
        assert!(is_there(&ids[1]).await && !is_there(&ids[2]).await && !is_there(&fourth).await);
    });
}

#[test] // spec: IF-14b, IF-14c
fn a_client_that_opens_sessions_in_a_loop_leaves_room_for_the_others() {
    on_a_stopped_clock(async {
        let mcp = door(8);
        for _ in 0..6 {
            open(&mcp).await.expect("its share");
        }
        let refused = post(&mcp, None, HELLO).await;
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE, "its share is used up");
        let other = HELLO.replace("\"clientInfo\":{\"name\":\"", "\"clientInfo\":{\"name\":\"other-");
        assert_ne!(other, HELLO);
        for _ in 0..2 {
            let answer = post(&mcp, None, &other).await;
            assert_eq!(answer.status(), StatusCode::OK);
        }
        // The client's own session is closed, and none of the others.
        mcp.sessions.age_by(SESSION_IDLE_MIN);
        open(&mcp).await.expect("in the place of its own");
        assert_eq!(mcp.manager.sessions.read().await.len(), 8);
    });
}

#[test] // spec: IF-7
fn a_session_that_is_not_open_cannot_be_ended() {
    on_a_stopped_clock(async {
        let mcp = door(3);
        let id = open(&mcp).await.expect("a session");
        let end = async |id: &str| {
            let head = Request::builder().method("DELETE").uri("/mcp").header(SESSION_HEADER, id);
            let head = head.header("host", "localhost").body(()).expect("a request").into_parts().0;
            mcp.answer(head, ReadBody { bytes: Bytes::new(), held: None }).await
        };
        assert_eq!(end(&id).await.status(), StatusCode::NO_CONTENT);
        for gone in [&id, "never-there"] {
            let refused = end(gone).await;
            assert_eq!(refused.status(), StatusCode::NOT_FOUND);
            assert_eq!(json(refused).await["error"]["code"], -32001);
        }
    });
}

#[test] // spec: IF-7
fn several_messages_at_once_are_taken_where_the_protocol_has_them() {
    on_a_stopped_clock(async {
        let mcp = door(3);
        let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},
            {"jsonrpc":"2.0","id":"two","method":"tools/call","params":{"name":"xyzzy"}},
            {"jsonrpc":"2.0","id":3,"method":"tools/list"}]"#;
        let newer = open(&mcp).await.expect("a session");
        let refused = post(&mcp, Some(&newer), batch).await;
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
        assert_eq!(json(refused).await["error"]["code"], -32600);
        let answer = post(&mcp, None, &HELLO.replace("2025-06-18", BATCHING)).await;
        let older = session_of(answer.headers()).expect("a session");
        post(&mcp, Some(&older), READY).await;
        let reply = json(post(&mcp, Some(&older), batch).await).await;
        let ids: Vec<&Value> = reply.as_array().expect("answers").iter().map(|one| &one["id"]).collect();
        assert_eq!(ids, [&json!(1), &json!("two"), &json!(3)], "{reply}");
        assert!(reply[0]["result"].is_object() && reply[1]["error"].is_object(), "{reply}");
        assert!(reply[2]["result"]["tools"].as_array().is_some_and(|tools| tools.len() > 5), "{reply}");
        let silent = post(&mcp, Some(&older), r#"[{"jsonrpc":"2.0","method":"notifications/x"}]"#).await;
        assert_eq!(silent.status(), StatusCode::ACCEPTED);
    });
}

#[test] // spec: IF-7
fn a_second_request_under_an_id_in_flight_is_refused() {
    on_a_stopped_clock(async {
        let mcp = door(3);
        let id = open(&mcp).await.expect("a session");
        let first = post(&mcp, Some(&id), LIST).await;
        let second = post(&mcp, Some(&id), LIST).await;
        assert_eq!(second.status(), StatusCode::BAD_REQUEST, "the first answer is not read yet");
        let reply = json(second).await;
        assert_eq!((&reply["id"], &reply["error"]["code"]), (&json!(1), &json!(-32600)), "{reply}");
        first.into_body().collect().await.expect("read");
        assert_eq!(post(&mcp, Some(&id), LIST).await.status(), StatusCode::OK, "and now it is free again");
    });
}

async fn json(answer: HttpAnswer) -> Value {
    let reply = answer.into_body().collect().await.expect("a body").to_bytes();
    serde_json::from_slice(&reply).expect("JSON")
}

async fn listen(mcp: &Mcp, session: &str) -> HttpAnswer {
    let head = Request::builder().method("GET").uri("/mcp").header(SESSION_HEADER, session);
    let head = head.header("host", "localhost").header("accept", "text/event-stream");
    mcp.answer(head.body(()).expect("a request").into_parts().0, ReadBody { bytes: Bytes::new(), held: None })
        .await
}
