//! The requests of MCP, answered from the table of verbs.

use crate::calls::Calls;
use crate::client::DaemonClient;
use crate::door::McpDoor;
use crate::http::mcp_request::{self, Listener};
use crate::http::meters::Meters;
use crate::http::sessions::Connection;
use crate::idle::{self, IdleSignal};
use crate::offer::Offer;
use crate::place::{self, CallPlace};
use crate::progress::WaitingClient;
use crate::reply::VerbReply;
use crate::run::Call;
use crate::turn::Turn;
use crate::{resources, unknown};
use brainstem_api::caller::{object_of, take_agent_id, take_form};
use brainstem_api::instructions::INSTRUCTIONS;
use brainstem_api::live::Live;
use brainstem_api::refusal::error_document_after;
use brainstem_api::wire::echo;
use brainstem_api::{
    CallerWords, Context, Door, Effect, Entry, FoundPlace, Object, Offers, ToolSwitch, Toolset,
};
use brainstem_base::advice;
use brainstem_base::next::{VerbId, calls};
use brainstem_base::{Fault, codes};
use brainstem_memory::Session;
use brainstem_post::Post;
use brainstem_post::live::Hub;
use hyper::http::request::Parts;
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CallToolResult, ConstString,
    ContentBlock, CustomRequest, CustomResult, GetPromptRequestParams, GetPromptResponse, Implementation,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, Span, field, info_span};

/// How long `initialize` waits to be recorded in the register.
const REGISTER_WAIT: Duration = Duration::from_secs(2);
/// The memory of an answer until it is sent, in lengths of its text: the text, the document, and the message with both.
const COPIES: usize = 5;

/// One connection.
#[derive(Clone)]
pub(crate) struct Handler {
    door: McpDoor,
    offer: Arc<Offer>,
    session: Arc<Session>,
    calls: Arc<Calls>,
    busy: Option<IdleSignal>,
    meters: Option<Arc<Meters>>,
    /// The root that was named when the session began over HTTP; unset until then.
    begun: Arc<OnceLock<Option<PathBuf>>>,
    live: Channel,
}

/// Where the live channel is for the calls of a door.
#[derive(Clone)]
enum Channel {
    /// In this process.
    Here(Arc<Hub>),
    /// In the daemon. The token is cancelled when the input of this process has ended.
    There(Arc<DaemonClient>, CancellationToken),
}

impl Handler {
    pub(crate) fn new(door: McpDoor, table: &'static [Entry], calls: Arc<Calls>) -> Self {
        let busy = door.settle.clone().map(|settle| idle::start(door.memory.clone(), settle));
        let client = Arc::new(DaemonClient::new(door.memory.clone()));
        let live = Channel::There(client, CancellationToken::new());
        Self { busy, ..Self::with(door, table, calls, live) }
    }

    /// A handler for a door whose connections are its siblings.
    pub(crate) fn shared(door: McpDoor, table: &'static [Entry], calls: Arc<Calls>, live: Arc<Hub>) -> Self {
        Self::with(door, table, calls, Channel::Here(live))
    }

    /// The token to cancel when the input has ended.
    pub(crate) fn ended(&self) -> CancellationToken {
        match &self.live {
            Channel::Here(_) => CancellationToken::new(),
            Channel::There(_, ended) => ended.clone(),
        }
    }

    fn with(door: McpDoor, table: &'static [Entry], calls: Arc<Calls>, live: Channel) -> Self {
        let offer = Arc::new(Offer::new(table, &door.toolsets));
        let (session, begun) = (Arc::default(), Arc::default());
        Self { door, offer, session, calls, busy: None, meters: None, begun, live }
    }

    /// The same handler, which reports answered calls to these.
    pub(crate) fn telling(self, busy: Option<IdleSignal>, meters: Arc<Meters>) -> Self {
        Self { busy, meters: Some(meters), ..self }
    }

    /// The same handler for another connection.
    pub(crate) fn sibling(&self, calls: Calls) -> Self {
        let (session, begun) = (Arc::default(), Arc::default());
        let offer = Arc::new(self.offer.anew(&self.door.toolsets));
        Self { offer, session, begun, calls: Arc::new(calls), ..self.clone() }
    }

    /// The door of the calls, with the tool sets that it offers.
    fn door_of_calls(&self) -> Door {
        Door::mcp(self.offer.offered()).repeating(self.door.repeated)
    }

    /// Runs a verb. A refusal of a known tool is returned in band, where the model sees it.
    async fn call(
        &self,
        name: &str,
        arguments: Value,
        request: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let mut said = CallerWords::default();
        let done = match object_of(arguments) {
            Err(fault) => Err(fault),
            Ok(mut arguments) => {
                said = CallerWords::of(&arguments);
                match self.find(name, &mut arguments) {
                    Ok(entry) => self.answer(entry, arguments, request).await,
                    // The model can act on it, and a client shows it only the answers of tools.
                    Err(fault) if unknown::is_near_a_tool(name) => Err(fault),
                    Err(fault) => return Err(resources::refused(&fault, self.door_of_calls())),
                }
            }
        };
        Ok(done.unwrap_or_else(|fault| {
            CallToolResult::structured_error(error_document_after(&fault, self.door_of_calls(), &said))
        }))
    }

    async fn answer(
        &self,
        entry: &'static Entry,
        arguments: Object,
        request: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, Fault> {
        let started = Instant::now();
        let offered = self.offer.offered();
        let verb = entry.spec().id();
        let span = info_span!("call", door = "mcp", verb, caller = field::Empty, outcome = field::Empty);
        let done = self.run(entry, arguments, request).instrument(span.clone()).await;
        let outcome = done.as_ref().err().map_or("ok", |fault| fault.code.name());
        span.record("outcome", outcome);
        if self.offer.offered() != offered {
            // A client that ignores this notification lists the tools whenever it wants.
            let _ = request.peer.notify_tool_list_changed().await;
        }
        self.answered();
        if let Some(meters) = &self.meters {
            meters.called(verb, outcome, started.elapsed());
        }
        let VerbReply { page, text, held } = done?;
        place::hold(request, held);
        let document = match text.is_empty() {
            true => None,
            false => Some(serde_json::from_str(&text).map_err(|error| {
                Fault::new(codes::INTERNAL_BUG, format!("the answer is not JSON: {error}"))
            })?),
        };
        let mut result = CallToolResult::structured(Value::Null);
        // Without a page the text is the same JSON: agents whose client hides structured content parse it, and it costs fewer
        // tokens than a page for people.
        let shown = page.unwrap_or(text);
        (result.content, result.structured_content) = (vec![ContentBlock::text(shown)], document);
        Ok(result)
    }

    async fn run(
        &self,
        entry: &'static Entry,
        mut arguments: Object,
        request: &RequestContext<RoleServer>,
    ) -> Result<VerbReply, Fault> {
        let moves = matches!(entry.spec().verb, VerbId::Bootstrap | VerbId::Handshake);
        let mut cx = self.context(request, moves).await?;
        cx.offers.said = CallerWords::of(&arguments);
        cx.declared.argument = take_agent_id(&mut arguments)?.or(cx.declared.argument);
        if entry.has_page() {
            cx.offers.form = take_form(&mut arguments)?;
        }
        let turn = self.turn(request, &cx, Some((entry, &arguments)));
        Span::current().record("caller", turn.key.kind());
        let gone = listener(request);
        let (waiting, progress) = WaitingClient::of(request, &gone, &turn.time);
        cx.offers.progress = Some(progress);
        cx.offers.tool_switch = has_session(request).then(|| self.offer.clone() as Arc<dyn ToolSwitch>);
        let (live, gone) = match &self.live {
            Channel::Here(hub) => (Live::Here(hub.clone()), gone),
            Channel::There(client, ended) => (Live::There(client.clone()), ended.clone()),
        };
        cx.offers.live = Some(live);
        let call = Call { entry, arguments, brain: None, cx, turn, copies: COPIES, gone };
        waiting.answer(call.run(&self.calls), request).await
    }

    /// Reads for a request that is not a call of a tool, with the routing and the checks of the verbs.
    async fn read<T: Send + 'static>(
        &self,
        verb: VerbId,
        request: &RequestContext<RoleServer>,
        read: impl FnOnce(&Context) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let cx = self
            .context(request, false)
            .await
            .map_err(|fault| resources::refused(&fault, self.door_of_calls()))?;
        let turn = self.turn(request, &cx, None);
        let (waiting, _) = WaitingClient::of(request, &listener(request), &turn.time);
        let reading = self.calls.work(verb.id(), Effect::Read, 1, turn, move |answered| {
            let _ = answered.send(read(&cx));
            cx.memory.count_call(&cx.place(), cx.session.as_deref());
        });
        let answer = waiting.answer(reading, request).await;
        self.answered();
        answer.map_err(|fault| resources::refused(&fault, self.door_of_calls()))
    }

    /// The turn of a call, or of a read that is not a verb. A client over stdio has this process for itself.
    fn turn(
        &self,
        request: &RequestContext<RoleServer>,
        cx: &Context,
        verb: Option<(&Entry, &Object)>,
    ) -> Turn {
        let key = || place::key(request, &cx.declared);
        match (&self.live, verb) {
            (Channel::There(..), _) => Turn::alone(),
            (Channel::Here(_), Some((entry, arguments))) => Turn::of(key(), entry, arguments),
            (Channel::Here(_), None) => Turn::look(key()),
        }
    }

    /// The caller and its place. A call that moves its session may name another root than the session's.
    async fn context(&self, request: &RequestContext<RoleServer>, moves: bool) -> Result<Context, Fault> {
        let CallPlace { mut declared, roots, session } = place::of(&self.door, &self.session, request)?;
        if let (false, Some(session), Some(named)) = (moves, &session, &roots.explicit)
            && let Some(bound) = session.root().filter(|_| request.extensions.get::<Parts>().is_some())
            && self.begun.get().is_none_or(|begun| begun.as_ref() != Some(named))
        {
            place::check(self.door.memory.clone(), named.clone(), bound).await?;
        }
        // Blank if the client gives no name: it is still an MCP client, and never the person.
        declared.client = Some(request.client_info().map(|client| client.name).unwrap_or_default());
        Ok(Context {
            memory: self.door.memory.clone(),
            declared,
            roots,
            program: self.door.program.clone(),
            door: self.door_of_calls(),
            session,
            offers: Offers::default(),
            found: FoundPlace::default(),
        })
    }

    /// Records the client that initializes, if it is at a mail root (MAIL-4). A client that cannot be recorded
    /// is still served, and does not wait for a slow disk.
    async fn register(&self, params: &InitializeRequestParams, request: &RequestContext<RoleServer>) {
        let Ok(mut cx) = self.context(request, true).await else { return };
        cx.declared.client = Some(params.client_info.name.clone());
        // The session's binding was set a moment ago, and the request may not name the session yet.
        cx.session = Some(self.session.clone());
        let turn = self.turn(request, &cx, None);
        let registered = self.calls.work("initialize", Effect::Read, 1, turn, move |answered| {
            if let Some(session) = &cx.session {
                cx.memory.bind_session(&cx.place(), session);
            }
            let _ = answered.send(cx.caller().and_then(|caller| Ok(cx.post().arrive(&caller)?)));
        });
        let _ = tokio::time::timeout(REGISTER_WAIT, registered).await;
    }

    /// Records that the client has left, under every name that it had (MAIL-4). Does not wait for a slow disk.
    pub(crate) async fn say_goodbye(self) {
        let said = tokio::task::spawn_blocking(move || {
            let post = Post::new(&self.door.memory);
            // A record that cannot be written ages out.
            self.session.callers().iter().for_each(|caller| drop(post.depart(caller)));
        });
        let _ = tokio::time::timeout(REGISTER_WAIT, said).await;
    }

    fn answered(&self) {
        if let Some(busy) = &self.busy {
            busy.answered();
        }
    }

    fn check_memory(&self) -> Result<(), ErrorData> {
        if self.has_memory() {
            return Ok(());
        }
        let fault =
            Fault::new(codes::INPUT_UNKNOWN_VERB, "resources and prompts come with the tool set memory")
                .fix(advice!["start the server with ", calls::toolsets_upkeep()])
                .rule("IF-9");
        Err(resources::refused(&fault, self.door_of_calls()))
    }

    /// Resources and prompts belong to memory: a connection without that tool set has none of them.
    fn has_memory(&self) -> bool {
        self.offer.offered().has(Toolset::Memory)
    }

    /// The verb that a call means, if this connection is offered it.
    fn find(&self, name: &str, arguments: &mut Object) -> Result<&'static Entry, Fault> {
        let offered = self.offer.offered();
        match brainstem_api::tools::find(name, arguments, offered)? {
            Some(entry) if offered.has_verb(entry.spec()) => Ok(entry),
            Some(entry) => Err(unknown::not_offered(name, entry.spec())),
            None => Err(unknown::tool(name, offered)),
        }
    }
}

/// Whether changes of a call to its connection last: the newest protocol over HTTP has no sessions.
fn has_session(request: &RequestContext<RoleServer>) -> bool {
    request.extensions.get::<Parts>().is_none_or(|parts| mcp_request::has_sessions(&parts.headers))
}

/// The token that is cancelled when the connection of a request over HTTP is lost. A lost connection cancels no request of the
/// protocol, but its caller no longer waits for news.
fn listener(request: &RequestContext<RoleServer>) -> CancellationToken {
    let parts = request.extensions.get::<Parts>();
    parts.and_then(|parts| parts.extensions.get::<Listener>()).cloned().unwrap_or_default().0
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let program = Implementation::new("brainstem", env!("CARGO_PKG_VERSION")).with_title("Brainstem");
        let offers = ServerCapabilities::builder().enable_tools().enable_tool_list_changed();
        let offers = if self.has_memory() {
            offers.enable_resources().enable_prompts().build()
        } else {
            offers.build()
        };
        ServerConfig::new(offers).with_server_info(program).with_instructions(INSTRUCTIONS.as_str())
    }

    /// Binds the session to the place that the client names, for a door without a place of its own.
    async fn initialize(
        &self,
        params: InitializeRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        place::begin(&self.session, &self.begun, &request)
            .map_err(|fault| resources::refused(&fault, self.door_of_calls()))?;
        let parts = request.extensions.get::<Parts>();
        if let Some(connection) = parts.and_then(|parts| parts.extensions.get::<Connection>()) {
            let handler = self.clone();
            connection.begin(move || handler.clone().say_goodbye());
        }
        request.peer.set_peer_info(params.clone());
        self.register(&params, &request).await;
        self.negotiate_initialize(&params)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.offer.tools()))
    }

    async fn list_resources(
        &self,
        params: Option<PaginatedRequestParams>,
        request: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        if !self.has_memory() {
            return Ok(ListResourcesResult::default());
        }
        let cursor = params.and_then(|params| params.cursor);
        let page = self
            .read(VerbId::List, &request, move |cx| brainstem_api::resources::list(cursor.as_deref(), cx))
            .await?;
        Ok(resources::list(page))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(if self.has_memory() { resources::templates() } else { ListResourceTemplatesResult::default() })
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.check_memory()?;
        let uri = params.uri.clone();
        let read =
            self.read(VerbId::Show, &request, move |cx| brainstem_api::resources::read(&uri, cx)).await;
        // The error names what was asked for, and the reason.
        let text = read.map_err(|mut error| {
            if let Some(Value::Object(data)) = &mut error.data {
                data.insert("uri".into(), echo(&params.uri, &self.door.memory.floor()).into());
            }
            error
        })?;
        Ok(resources::read(&params.uri, text).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(if self.has_memory() { resources::prompts() } else { ListPromptsResult::default() })
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.check_memory()?;
        let arguments = params.arguments.unwrap_or_default();
        let write = move |cx: &Context| brainstem_api::prompts::write(&params.name, &arguments, cx);
        Ok(resources::written(self.read(VerbId::North, &request, write).await?).into())
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = params.arguments.map_or(Value::Null, Value::Object);
        self.call(&params.name, arguments, &request).await.map(Into::into)
    }

    /// Takes calls whose arguments are not an object, which rmcp does not accept as calls: some clients send
    /// the whole object as JSON text (IF-7).
    async fn on_custom_request(
        &self,
        custom: CustomRequest,
        request: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let params = custom.params.unwrap_or_default();
        let name = params.get("name").and_then(Value::as_str);
        match (custom.method == CallToolRequestMethod::VALUE, name) {
            (false, _) => {
                let message = echo(&custom.method, &self.door.memory.floor());
                Err(ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, message, None))
            }
            (true, None) => Err(ErrorData::invalid_params("tools/call needs the name of a tool", None)),
            (true, Some(name)) => {
                let arguments = params.get("arguments").cloned().unwrap_or_default();
                let mut result = self.call(name, arguments, &request).await?;
                // rmcp adapts the results that it knows to the client's version; this one is adapted here.
                if request.protocol_version().is_none_or(|version| version < ProtocolVersion::V_2026_07_28) {
                    result.result_type = None;
                }
                let result = serde_json::to_value(result)
                    .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
                Ok(CustomResult::new(result))
            }
        }
    }
}
